#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"
#include "golden/golden.h"

// The index language: random cases of PyTorch (golden/ops/indexing.json), and what they do not say.

namespace tern::testing {
namespace {

using namespace tern::indexing;
using nlohmann::json;

static_assert(!std::is_constructible_v<TensorIndex, double>);
static_assert(!std::is_constructible_v<TensorIndex, char>);
static_assert(!std::is_constructible_v<Slice, double*>);
static_assert(!std::is_assignable_v<decltype(std::declval<Tensor>()[std::declval<Tensor>()]), int>,
              "the copy would be lost");

TensorIndex read_index(const json& item, const Device& device) {
  if (item.is_null()) return None;
  if (item.is_boolean()) return item.get<bool>();
  if (item.is_number()) return item.get<std::int64_t>();
  if (item.is_string()) return Ellipsis;
  if (item.is_array()) {
    const auto bound = [&](std::size_t i) -> std::optional<StrictInt> {
      if (item[i].is_null()) return std::nullopt;
      return item[i].get<std::int64_t>();
    };
    return Slice(bound(0), bound(1), bound(2));
  }
  const char* const sizes = item.contains("t") ? "t" : "m";
  const Tensor elements = tensor(item["d"].get<std::vector<std::int64_t>>(), kLong)
                              .reshape(item[sizes].get<std::vector<std::int64_t>>());
  return elements.to(device, *sizes == 't' ? kLong : kBool);
}

Tensor counted(const std::vector<std::int64_t>& sizes, const Device& device) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return arange(count, kFloat).reshape(sizes).to(device);
}

void expect_numbers(const Tensor& actual, const json& expected) {
  EXPECT_EQ(actual.cpu().reshape({-1}).to(kLong).to_vector<std::int64_t>(),
            expected.get<std::vector<std::int64_t>>());
}

void check_case(const json& item, const Device& device) {
  SCOPED_TRACE(item.dump());
  const auto sizes = item["x"].get<std::vector<std::int64_t>>();
  const Tensor x = counted(sizes, device);
  std::vector<TensorIndex> indices;
  for (const json& index : item["i"]) indices.push_back(read_index(index, device));
  if (!item.contains("o")) {
    if (device.is_cpu()) {
      EXPECT_THROW(x.index(indices), Error);
    }
    return;
  }
  const Tensor out = x.index(indices);
  EXPECT_EQ(out.sizes().vec(), item["o"][0].get<std::vector<std::int64_t>>());
  expect_numbers(out, item["o"][1]);
  if (out.numel() > 0) {
    EXPECT_EQ(out.is_alias_of(x), item["v"].get<bool>());
  }
  const Tensor values = -1 - counted(item["put"].get<std::vector<std::int64_t>>(), device);
  std::vector<std::int64_t> order;  // a tensor in another order of memory takes other paths
  for (std::int64_t d = x.dim(); d > 0; --d) order.push_back(d - 1);
  for (Tensor target : {x.clone(), x.permute(order).contiguous().permute(order)}) {
    EXPECT_TRUE(target.index_put_(indices, values, item["add"].get<bool>()).is_same(target));
    expect_numbers(target, item["p"]);
  }
}

TEST(Indexing, RandomCasesAgreeWithPyTorch) {
  for (const Device device : {Device("cpu"), Device("cuda")}) {
    for (const json& item : golden("ops/indexing")["cases"]) {
      if (!HasFailure()) check_case(item, device);
    }
  }
}

TEST(Indexing, BasicIndicesGiveViewsWithTheRightNode) {
  const Tensor x = arange(12, kFloat).reshape({3, 4}).requires_grad_();
  const auto node = [&](const std::vector<TensorIndex>& indices) {
    const Tensor out = x.index(indices);
    EXPECT_TRUE(out.is_view());
    return out.grad_fn()->name();
  };
  EXPECT_EQ(node({}), "AliasBackward0");
  EXPECT_EQ(node({"..."}), "AliasBackward0");
  EXPECT_EQ(node({Slice()}), "SliceBackward0");
  EXPECT_EQ(node({Slice(), Slice()}), "AliasBackward0");
  EXPECT_EQ(node({None}), "UnsqueezeBackward0");
  EXPECT_EQ(node({Ellipsis, 1}), "SelectBackward0");
  EXPECT_EQ(node({tensor(1)}), "SelectBackward0");
  const Tensor copy = x.index({tensor({0, 1})});
  EXPECT_FALSE(copy.is_view());
  EXPECT_EQ(copy.grad_fn()->name(), "IndexBackward0");
  EXPECT_EQ(x.index({true}).grad_fn()->name(), "IndexBackward0");
  EXPECT_EQ(x.index({x > 3}).grad_fn()->name(), "IndexBackward0");
  EXPECT_TRUE(equal(x[tensor({2, -3})], x.index({tensor({2, 0})})));
  EXPECT_TRUE(x[tensor(2)].is_view());
}

TEST(Indexing, ErrorsNameTheRule) {
  const Tensor x = arange(12, kFloat).reshape({3, 4});
  const auto text = [&](const std::vector<TensorIndex>& indices) {
    return error_of<Error>([&] { x.index(indices); });
  };
  EXPECT_EQ(text({Slice(None, None, -1)}), "index: step must be greater than zero, got -1");
  EXPECT_EQ(text({Slice(None, None, 0)}), "index: slice step cannot be zero");
  EXPECT_EQ(text({0, 0, 0}), "index: too many indices for tensor of dimension 2, got 3");
  EXPECT_EQ(text({Slice(), 4}), "index 4 is out of bounds for dimension 1 with size 4");
  EXPECT_EQ(text({tensor({0, 3})}), "index: index 3 is out of bounds for dimension 0 with size 3");
  EXPECT_EQ(text({"...", tensor({-5})}),
            "index: index -5 is out of bounds for dimension 1 with size 4");
  EXPECT_EQ(text({"...", 0, Ellipsis}), "index: an index can have only one ellipsis ('...')");
  EXPECT_EQ(text({tensor({0.5})}),
            "index: tensors used as indices must be long, int, byte or bool tensors, got Float for "
            "dimension 0");
  EXPECT_EQ(text({tensor({true, false})}),
            "index: The shape of the mask [2] at index 0 does not match the shape of the indexed "
            "tensor [3, 4] at index 0");
  EXPECT_EQ(error_of<Error>([] { TensorIndex("x"); }),
            "Expected \"...\" to represent an ellipsis index, but got \"x\"");
}

TEST(Indexing, AFailedPutChangesNothing) {
  const Tensor x = zeros({3, 4});
  Tensor y = x.clone();
  EXPECT_THROW(y.index_put_({tensor({0, 1, 3})}, 1), IndexError);
  EXPECT_THROW(y.put_(tensor({0, 12}), ones({2})), IndexError);
  EXPECT_THROW(y.scatter_(0, tensor({{0, 3}}), 1), IndexError);
  EXPECT_THROW(y.scatter_reduce_(0, tensor({{0, 3}}), ones({1, 2}), "mean", false), IndexError);
  EXPECT_THROW(y.index_copy_(0, tensor({0, 3}), ones({2, 4})), IndexError);
  EXPECT_THROW(y.masked_scatter_(x == 0, ones({3})), Error);
  EXPECT_TRUE(equal(x, y));
}

TEST(Indexing, ATensorMayNotBeItsOwnIndexOrSource) {
  Tensor x = tensor({2, 0, 1});
  const Tensor at = tensor({0, 1, 2}), part = x.slice(0, 0, 1), first = tensor({0});
  const auto refuses = [&](const auto& change) {
    EXPECT_NE(error_of([&] { change(); }).find("refer to a single memory location"),
              std::string::npos);
  };
  refuses([&] { x.index_put_({x}, at); });
  refuses([&] { x.index_put_({at}, x); });
  refuses([&] { x.index_add_(0, at, x); });
  refuses([&] { x.index_copy_(0, first, part); });
  refuses([&] { x.index_fill_(0, x, 1); });
  refuses([&] { x.index_reduce_(0, x, at, "prod"); });
  refuses([&] { x.put_(first, part); });
  refuses([&] { x.scatter_(0, x, 3); });
  refuses([&] { x.scatter_(0, at, x); });
  refuses([&] { x.scatter_add_(0, x, at); });
  refuses([&] { x.scatter_reduce_(0, at, x, "sum"); });
  EXPECT_TRUE(equal(x, tensor({2, 0, 1})));
  x.slice(0, 0, 2).index_copy_(0, first, x.slice(0, 2, 3));  // no elements in common
  x.index_fill_(0, tensor({2}), x[0]);
  EXPECT_TRUE(equal(x, tensor({1, 0, 1})));
}

TEST(Indexing, CopiesOfGapsMayShareMemory) {  // the layouts do not tell whether elements meet
  Tensor x = arange(6).slice(0, 0, 6, 2);
  x.scatter_(0, x.slice(0, 0, 2), x.slice(0, 1, 3));
  EXPECT_TRUE(equal(x, tensor({2, 2, 4})));
}

TEST(Indexing, PutIsRecordedThroughViews) {
  const Tensor x = arange(12, kFloat).reshape({3, 4}).requires_grad_();
  const Tensor v = ones({2}).requires_grad_();
  Tensor y = x * 1;
  y.index_put_({Slice(1, None), tensor({0, 2})}, v);
  EXPECT_EQ(y.grad_fn()->name(), "CopySlices");
  y.index_put_({0}, 5);
  (y * y).sum().backward();
  EXPECT_EQ(v.grad().to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_EQ(x.grad().to_vector<float>(),
            (std::vector<float>{0, 0, 0, 0, 0, 10, 0, 14, 0, 18, 0, 22}));
  EXPECT_THROW(Tensor(x).index_put_({0}, 5), Error);
}

TEST(Indexing, OldNamesOfReductionsCombine) {
  const Tensor x = tensor({1., 2., 3.}, kFloat), at = tensor({1, 1, 2});
  const Tensor source = tensor({10., 20., 30.}, kFloat);
  EXPECT_TRUE(equal(x.scatter(0, at, source, "add"), tensor({1., 32., 33.}, kFloat)));
  EXPECT_TRUE(equal(x.scatter(0, at, 3, "multiply"), tensor({1., 18., 9.}, kFloat)));
  Tensor y = x.clone();
  EXPECT_TRUE(equal(y.scatter_(0, at, 2, "add"), tensor({1., 6., 5.}, kFloat)));
  EXPECT_TRUE(equal(y.scatter_(0, at, source, "multiply"), tensor({1., 1200., 150.}, kFloat)));
  EXPECT_EQ(error_of<Error>([&] { x.scatter(0, at, source, "sum"); }),
            "scatter: reduce argument must be either add or multiply, got sum");
  EXPECT_EQ(
      error_of<Error>([&] { x.scatter_reduce(0, at, source, "add"); }),
      "scatter_reduce: reduce argument must be either sum, prod, mean, amax or amin, got add");
  // A source may be larger than the index.
  EXPECT_TRUE(equal(x.scatter(0, at.slice(0, 0, 1), source), tensor({1., 10., 3.}, kFloat)));
}

TEST(Indexing, TensorsWithoutDimensionsHaveOneElement) {
  const Tensor x = tensor(5., kFloat), at = tensor({0}), mask = tensor({true, false, true});
  EXPECT_TRUE(equal(x.take(tensor({0, -1})), tensor({5., 5.}, kFloat)));
  EXPECT_TRUE(equal(x.put(at, tensor({7.}, kFloat)), tensor(7., kFloat)));
  EXPECT_TRUE(equal(x.index_fill(0, at, 3), tensor(3., kFloat)));
  EXPECT_TRUE(equal(x.index_copy(0, at, tensor(2., kFloat)), tensor(2., kFloat)));
  EXPECT_TRUE(equal(x.scatter(0, at, 4), tensor(4., kFloat)));
  EXPECT_TRUE(equal(x.masked_select(mask), tensor({5., 5.}, kFloat)));
  EXPECT_TRUE(
      equal(x.masked_scatter(mask, tensor({1., 2.}, kFloat)), tensor({1., 5., 2.}, kFloat)));
  EXPECT_EQ(x.nonzero().sizes(), IntArrayRef({1, 0}));
  EXPECT_EQ(where(x)[0].sizes(), IntArrayRef({1}));
  EXPECT_TRUE(equal(x.index({None}), tensor({5.}, kFloat)));
  EXPECT_TRUE(equal(x.index({true}), tensor({5.}, kFloat)));
  EXPECT_TRUE(equal(x.index({tensor(false)}), zeros({0})));
}

// Masks of several blocks, and rows that several threads share.
TEST(Indexing, LargeTensorsAgreeWithSimpleLoops) {
  const Tensor x = arange(100000, kFloat).reshape({100, 1000}).remainder(7);
  const Tensor mask = x == 3;
  const Tensor found = mask.nonzero();
  const std::vector<std::int64_t> places = found.to_vector<std::int64_t>();
  const std::vector<float> elements = x.to_vector<float>();
  std::size_t n = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] != 3) continue;
    ASSERT_EQ(places[2 * n], static_cast<std::int64_t>(i / 1000));
    ASSERT_EQ(places[2 * n + 1], static_cast<std::int64_t>(i % 1000));
    ++n;
  }
  EXPECT_EQ(found.size(0), static_cast<std::int64_t>(n));
  EXPECT_EQ(x.masked_select(mask).numel(), static_cast<std::int64_t>(n));
  EXPECT_TRUE(x.index({mask}).eq(3).all().item<bool>());
  const auto columns = where(mask);
  EXPECT_TRUE(equal(x.index({columns[0], columns[1]}), x.index({mask})));
  Tensor y = zeros({100, 1000});
  y.index_put_({columns[0], columns[1]}, ones({found.size(0)}), true);
  EXPECT_TRUE(equal(y, mask.to(kFloat)));
  y.masked_scatter_(mask, x.masked_select(mask));
  EXPECT_TRUE(equal(y, mask.to(kFloat) * 3));
  const Tensor on_device = x.to("cuda");
  EXPECT_TRUE(equal((on_device == 3).nonzero().cpu(), found));
  EXPECT_TRUE(equal(on_device.masked_select(on_device == 3).cpu(), x.masked_select(mask)));
}

TEST(Indexing, NumbersConvertAsFillDoes) {
  Tensor x = zeros({3}, kLong);
  x.index_put_({tensor({0, 1})}, 2.5);
  x.index_put_({tensor({false, false, true})}, -1.5);
  EXPECT_TRUE(equal(x, tensor({2, 2, -1})));
}

TEST(Indexing, OneElementForAMaskTakesTheDtype) {
  const Tensor mask = tensor({true, false, true});
  Tensor x = zeros({3}), counts = zeros({3}, kLong), rows = zeros({2, 3});
  x.index_put_({mask}, tensor(2));
  counts.index_put_({mask}, tensor({1.5}));
  rows.index_put_({1, mask}, tensor(2.0, kDouble));
  EXPECT_TRUE(equal(x, tensor({2.0, 0.0, 2.0})));
  EXPECT_TRUE(equal(counts, tensor({1, 0, 1})));
  EXPECT_TRUE(equal(rows, tensor({{0.0, 0.0, 0.0}, {2.0, 0.0, 2.0}})));
  EXPECT_TRUE(equal(zeros({3}).index_put({mask}, tensor(2)), x));
  const Tensor at = tensor({0, 1});
  for (const auto& put : std::vector<std::function<void()>>{
           [&] {
             x.index_put_({mask}, tensor({2, 3}));
           },
           [&] { x.index_put_({mask}, tensor(2), /*accumulate=*/true); },
           [&] { x.index_put_({at}, tensor(2)); },
           [&] {
             zeros({3, 3}).index_put_({mask, mask}, tensor(2));
           }}) {
    EXPECT_NE(error_of<DTypeError>(put).find("got Float for the destination and Long"),
              std::string::npos);
  }
}

// Numbers of PyTorch, which takes int32 in these eight ops only.
TEST(Indexing, IndicesOfInt32) {
  const Tensor x = arange(12, kFloat).view({3, 4}), zero = zeros({3, 4});
  const Tensor at = tensor({{0, 1, 2, 0}}), rows = tensor({0, 1});
  const Tensor narrow = at.to(kInt), narrow_rows = rows.to(kInt);
  EXPECT_TRUE(equal(x.gather(0, narrow), tensor({{0.0, 5.0, 10.0, 3.0}})));
  EXPECT_TRUE(equal(zero.scatter(0, narrow, 5), zero.scatter(0, at, 5)));
  EXPECT_TRUE(equal(zero.scatter(0, narrow, x), zero.scatter(0, at, x)));
  EXPECT_TRUE(equal(zero.scatter(0, narrow, x, "add"), zero.scatter(0, at, x, "add")));
  EXPECT_TRUE(equal(zero.scatter(0, narrow, 2, "add"), zero.scatter(0, at, 2, "add")));
  EXPECT_TRUE(equal(zero.scatter_add(0, narrow, x), zero.scatter_add(0, at, x)));
  EXPECT_TRUE(equal(zero.scatter_reduce(0, narrow, x, "sum"), zero.scatter_add(0, at, x)));
  EXPECT_TRUE(equal(x.index_select(0, narrow_rows), x.slice(0, 0, 2)));
  const Tensor part = x.slice(0, 0, 2);
  EXPECT_TRUE(equal(x.index_add(0, narrow_rows, part), x.index_add(0, rows, part)));
  EXPECT_TRUE(
      equal(x.index_reduce(0, narrow_rows, part, "prod"), x.index_reduce(0, rows, part, "prod")));
  Tensor y = x.clone(), z = x.clone();
  y.scatter_(0, narrow, 5).index_add_(0, narrow_rows, part).scatter_reduce_(0, narrow, x, "amax");
  z.scatter_(0, at, 5).index_add_(0, rows, part).scatter_reduce_(0, at, x, "amax");
  EXPECT_TRUE(equal(y, z));
  Tensor leaf = x.clone().set_requires_grad(true);
  leaf.gather(0, narrow).sum().backward();
  EXPECT_TRUE(equal(leaf.grad(), zero.scatter(0, at, 1)));
  EXPECT_EQ(error_of<DTypeError>([&] { x.gather(0, at.to(kShort)); }),
            "gather(): Expected dtype int64 for index, got Short");
  EXPECT_EQ(error_of<DTypeError>([&] { x.take(narrow); }),
            "take(): Expected dtype int64 for index, got Int");
}

TEST(Indexing, StepsBeyondTheSize) {
  const Tensor x = arange(6, kFloat).view({2, 3});
  for (const std::int64_t step : {std::int64_t{2}, INT64_MAX - 1, INT64_MAX}) {
    EXPECT_TRUE(equal(x.slice(0, 0, 2, step), x.narrow(0, 0, 1))) << step;
    EXPECT_EQ(x.slice(0, 2, 2, step).sizes(), IntArrayRef({0, 3})) << step;
  }
}

}  // namespace
}  // namespace tern::testing
