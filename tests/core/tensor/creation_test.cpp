#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

namespace tern {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Bare integers are numbers, not devices; these lines must compile and mean what PyTorch means.
TEST(Creation, IntegersAreNoDevices) {
  EXPECT_EQ(arange(0, 10).numel(), 10);
  EXPECT_EQ(arange(10).numel(), 10);
  EXPECT_EQ(arange(1, 10, 3).numel(), 3);
  EXPECT_EQ(arange(0, 10).device(), Device(kCPU));
  EXPECT_EQ(arange(0, 10, kMeta).device(), Device(kMeta));
  EXPECT_EQ(arange(0, 10, kDouble).dtype(), kDouble);
  EXPECT_EQ(zeros({2}, kMeta).device(), Device(kMeta));
  EXPECT_EQ(zeros({2}, kDouble).dtype(), kDouble);
  EXPECT_EQ(zeros({2}, Device("meta")).device(), Device(kMeta));
  EXPECT_EQ(zeros({2}, device("meta").dtype(kLong)).dtype(), kLong);
  EXPECT_EQ(zeros({2}, dtype(kLong).device(kMeta)).device(), Device(kMeta));
  EXPECT_EQ(full({2}, 3).dtype(), kLong);
  EXPECT_EQ(full({2, 2}, 1.5, kDouble).dtype(), kDouble);
  EXPECT_EQ(eye(2, 3).sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(linspace(0, 1, 5).numel(), 5);
  EXPECT_EQ(zeros(2).dim(), 1);
  EXPECT_EQ(zeros({}).dim(), 0);
  EXPECT_EQ(zeros({0, 3}).numel(), 0);
  EXPECT_EQ(TensorOptions().device(1).device(), Device(kCUDA, 1));
  static_assert(!std::is_convertible_v<int, Device>);
  static_assert(!std::is_convertible_v<int, TensorOptions>);
  static_assert(std::is_convertible_v<const char*, Device>);
}

TEST(Creation, DtypesFollowTheArguments) {
  EXPECT_EQ(zeros({1}).dtype(), kFloat);
  EXPECT_EQ(empty({1}).dtype(), kFloat);
  EXPECT_EQ(tensor(1).dtype(), kLong);
  EXPECT_EQ(tensor(1.5).dtype(), kFloat);
  EXPECT_EQ(tensor(1.5f).dtype(), kFloat);
  EXPECT_EQ(tensor(true).dtype(), kBool);
  EXPECT_EQ(tensor({1, 2}).dtype(), kLong);
  EXPECT_EQ(tensor({true, false}).dtype(), kBool);
  EXPECT_EQ(tensor({1., 2.}).dtype(), kFloat);
  EXPECT_EQ(tensor(std::vector<double>{1}).dtype(), kFloat);
  EXPECT_EQ(tensor(std::vector<std::int64_t>{1}).dtype(), kLong);
  EXPECT_EQ(tensor(std::vector<int>{1}).dtype(), kLong);
  EXPECT_EQ(tensor({{1., 2.}, {3., 4.}}).sizes(), IntArrayRef({2, 2}));
  EXPECT_EQ(arange(0, 1, 0.1).numel(), 10);
  EXPECT_EQ(arange(0, 1, 0.1).dtype(), kFloat);
  EXPECT_EQ(arange(5.).dtype(), kFloat);
  EXPECT_EQ(linspace(0, 1, 3).dtype(), kFloat);
  EXPECT_EQ(full({1}, true).dtype(), kBool);
  EXPECT_EQ(randint(5, {2}).dtype(), kLong);
  EXPECT_EQ(randperm(5).dtype(), kLong);
  EXPECT_TRUE(zeros({2}, requires_grad()).requires_grad());
  EXPECT_TRUE(tensor({1., 2.}, requires_grad()).is_leaf());
}

TEST(Creation, NestedListsMustNotBeRagged) {
  const auto says = [](const std::string& text, const auto& call) {
    EXPECT_EQ(error_of<ShapeError>(call), "tensor: " + text);
  };
  says("expected sequence of length 2 at dim 1 (got 3)", [] { tensor({{1, 2}, {1, 2, 3}}); });
  says("expected sequence of length 2 at dim 2 (got 1)", [] {
    tensor({{{1, 2}, {1}}, {{1, 2}, {1, 2}}});
  });
  says("expected sequence of length 1 at dim 1 (got 2)", [] {
    tensor({{{1, 2}}, {{1, 2}, {3, 4}}});
  });
  EXPECT_EQ(tensor({{{{{{1, 2}, {3, 4}}}}}}).sizes(), IntArrayRef({1, 1, 1, 1, 2, 2}));
}

TEST(Creation, NestedVectorsAreRows) {
  const std::vector<std::vector<float>> rows = {{1, 2, 3}, {4, 5, 6}};
  const Tensor matrix = tensor(rows, requires_grad());
  EXPECT_TRUE(matrix.is_leaf() && matrix.requires_grad());
  EXPECT_TRUE(equal(matrix.detach(), tensor({{1., 2., 3.}, {4., 5., 6.}})));
  const std::vector<std::vector<std::vector<bool>>> bits = {{{true}, {false}}};
  EXPECT_TRUE(equal(tensor(bits), tensor({{{true}, {false}}})));
  EXPECT_EQ(tensor(std::vector<std::vector<int>>{{1}, {2}}).dtype(), kLong);
  EXPECT_EQ(tensor(rows, kHalf).dtype(), kHalf);
  EXPECT_EQ(tensor(std::vector<std::vector<double>>(2)).sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(tensor(std::vector<std::vector<double>>()).sizes(), IntArrayRef({0}));
  const std::vector<std::vector<int>> ragged = {{1, 2}, {3}};
  EXPECT_EQ(error_of<ShapeError>([&] { tensor(ragged); }),
            "expected sequence of length 2 at dim 1 (got 1)");
}

// PyTorch's verdicts on numbers that a dtype cannot hold: in full(), fill_() and the like all
// dtypes refuse them, in tensor() integers do and floating numbers become infinite.
TEST(Creation, NumbersBeyondTheDtypeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor bytes = zeros({2, 2}, kByte);
  const Tensor longs = zeros({2, 2}, kLong);
  const Tensor ints = zeros({2, 2}, kInt);
  const Tensor halves = zeros({2, 2}, kHalf);
  const Tensor first = tensor({0});
  const Tensor mask = tensor({{true, false}, {false, true}});
  const auto nested = [](auto value) { return std::vector<std::vector<decltype(value)>>{{value}}; };
  const std::vector<std::pair<std::function<void()>, const char*>> calls = {
      {[&] { tensor({300}, kByte); }, "uint8_t"},
      {[&] { tensor({{300}}, kByte); }, "uint8_t"},
      {[&] {
         tensor(std::vector<int>{1, -300}, kByte);
       },
       "uint8_t"},
      {[&] { tensor(nested(300), kByte); }, "uint8_t"},
      {[&] { tensor({300.7}, kByte); }, "uint8_t"},
      {[&] { tensor({3000000000}, kInt); }, "int32_t"},
      {[&] { tensor({nan}, kLong); }, "int64_t"},
      {[&] { tensor(std::vector<double>{inf}, kLong); }, "int64_t"},
      {[&] { tensor(nested(1e20F), kLong); }, "int64_t"},
      {[&] { tensor({~std::uint64_t{0}}); }, "int64_t"},
      {[&] { (void)(longs + ~std::uint64_t{0}); }, "int64_t"},
      {[&] { bytes.new_tensor({300}); }, "uint8_t"},
      {[&] { bytes.new_full({2}, 300); }, "uint8_t"},
      {[&] { full({2}, 300, kByte); }, "uint8_t"},
      {[&] { full({2}, nan, kByte); }, "uint8_t"},
      {[&] { full({2}, inf, kInt); }, "int32_t"},
      {[&] { full_like(bytes, 300); }, "uint8_t"},
      {[&] { full_like(longs, nan); }, "int64_t"},
      {[&] { bytes.fill_(300); }, "uint8_t"},
      {[&] { bytes.fill_(-300); }, "uint8_t"},
      {[&] { longs.fill_(nan); }, "int64_t"},
      {[&] { ints.fill_(1e20); }, "int32_t"},
      {[&] { halves.fill_(1e6); }, "c10::Half"},
      {[&] { zeros({2}).fill_(1e300); }, "float"},
      {[&] { bytes[0] = 300; }, "uint8_t"},
      {[&] { bytes.masked_fill_(mask, 300); }, "uint8_t"},
      {[&] { bytes.masked_fill(mask, 300); }, "uint8_t"},
      {[&] { bytes.masked_fill(mask, tensor(300)); }, "uint8_t"},
      {[&] { longs.masked_fill_(mask, nan); }, "int64_t"},
      {[&] { bytes.index_fill_(0, first, 300); }, "uint8_t"},
      {[&] { longs.index_fill_(0, first, nan); }, "int64_t"},
      {[&] {
         bytes.scatter_(0, first.reshape({1, 1}), 300);
       },
       "uint8_t"},
      {[&] { bytes.index_put_({first}, 300); }, "uint8_t"},
      {[&] { bytes.index_put_({mask}, 300); }, "uint8_t"},
      {[&] { longs.index_put_({first}, nan); }, "int64_t"},
      {[&] {
         bytes.index_put_({first, indexing::Slice()}, 300);
       },
       "uint8_t"},
      {[&] { bytes.index_put_({0}, 300); }, "uint8_t"},
      {[&] { scalar_tensor(300, kByte); }, "uint8_t"},
      {[&] { bytes.fill_diagonal_(300); }, "uint8_t"},
      {[&] { where(mask, 300, bytes); }, "uint8_t"},
      {[&] {
         nn::functional::pad(bytes, nn::functional::PadFuncOptions({1, 1}).value(300));
       },
       "uint8_t"},
      {[&] { linspace(0, 300, 3, kByte); }, "uint8_t"},
      {[&] { threshold(bytes, 1, 300); }, "uint8_t"},
      {[&] {
         bytes.index_add_(0, first, ones({1, 2}, kByte), 300);
       },
       "uint8_t"},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string text = error_of(calls[i].first);
    EXPECT_NE(text.find(std::string("converted to type ") + calls[i].second), std::string::npos)
        << i << ": " << text;
  }
  EXPECT_EQ((bytes + longs + ints).sum().item<int>(), 0);  // the refused calls changed nothing
  EXPECT_TRUE(equal(tensor({-1, 1}, kByte), tensor({255, 1}, kByte)));
  EXPECT_TRUE(equal(tensor({1.7}, kByte), tensor({1}, kByte)));
  EXPECT_TRUE(equal(tensor({nan, 300.}, kBool), tensor({true, true})));
  EXPECT_TRUE(equal(tensor({1e300, -1e300}), tensor({inf, -inf})));
  EXPECT_TRUE(equal(tensor({1e6}, kHalf), tensor({inf}, kHalf)));
  EXPECT_TRUE(equal(tensor({70000}, kHalf), tensor({inf}, kHalf)));
}

TEST(Accessor, ReadsAndWritesElements) {
  const Tensor x = arange(6, kFloat).reshape({2, 3});
  const Tensor columns = x.t();
  auto a = columns.accessor<float, 2>();
  EXPECT_EQ(a.size(0), 3);
  EXPECT_EQ(a.stride(0), 1);
  EXPECT_EQ(a.sizes(), IntArrayRef({3, 2}));
  EXPECT_EQ(a.strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(a[2][1], 5);
  a[2][0] = 7;
  EXPECT_EQ(x[0][2].item<float>(), 7);
  const auto row = a[1];
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row.data(), x.data_ptr<float>() + 1);
  EXPECT_EQ(error_of([&] { x.accessor<float, 3>(); }),
            "TensorAccessor expected 3 dims but tensor has 2");
  EXPECT_EQ(error_of([&] { x.accessor<double, 2>(); }),
            "expected scalar type Double but found Float");
  const Tensor shape_only = x.to(kMeta);
  const std::string host = error_of([&] { shape_only.accessor<float, 2>(); });
  EXPECT_NE(host.find("on meta"), std::string::npos) << host;
}

TEST(Creation, DefaultsCanBeChanged) {
  set_default_dtype(kDouble);
  EXPECT_EQ(zeros({1}).dtype(), kDouble);
  EXPECT_EQ(tensor(1.5).dtype(), kDouble);
  EXPECT_EQ((tensor({1, 2}) / 2).dtype(), kDouble);
  EXPECT_EQ((tensor({1, 2}) + 0.5).dtype(), kDouble);
  set_default_dtype(kFloat);
  EXPECT_THROW(set_default_dtype(kLong), DTypeError);
  EXPECT_EQ(get_default_dtype(), kFloat);
  set_default_device(kMeta);
  EXPECT_TRUE(zeros({1}).is_meta());
  EXPECT_TRUE(arange(3).is_meta());
  EXPECT_TRUE(zeros({1}, kCPU).is_cpu());
  set_default_device(kCPU);
  EXPECT_TRUE(zeros({1}).is_cpu());
}

TEST(Creation, LikeAndNewKeepDtypeDeviceAndOrder) {
  const Tensor x = ones({2, 3}, kDouble).t();
  EXPECT_EQ(zeros_like(x).dtype(), kDouble);
  EXPECT_EQ(zeros_like(x).strides(), x.strides());
  EXPECT_EQ(ones_like(x, kLong).dtype(), kLong);
  EXPECT_EQ(empty_like(x.expand({4, 3, 2})).strides(), IntArrayRef({6, 1, 3}));
  EXPECT_EQ(x.new_zeros({4}).dtype(), kDouble);
  EXPECT_EQ(x.new_full({1}, 3).dtype(), kDouble);
  EXPECT_TRUE(zeros({2}, kMeta).new_ones({3}).is_meta());
  EXPECT_FALSE(zeros_like(ones({1}, requires_grad())).requires_grad());
  EXPECT_EQ(empty({2, 0, 3}).strides(), IntArrayRef({3, 3, 1}));
}

TEST(Creation, StridesMayLeaveGaps) {
  Tensor rows = empty_strided({2, 3}, {5, 1});
  EXPECT_EQ(rows.strides(), IntArrayRef({5, 1}));
  EXPECT_EQ(rows.storage().bytes(), 8 * sizeof(float));  // up to the last element
  rows.copy_(arange(6).reshape({2, 3}));
  EXPECT_EQ(rows.clone().to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(rows.data_ptr<float>()[5], 3);
  const Tensor columns = Tensor(empty_strided({2, 2}, {1, 7}, kLong)).fill_(4);
  EXPECT_EQ(columns.sum().item<std::int64_t>(), 16);
  EXPECT_EQ(empty_strided({2, 0}, {1, 9}).numel(), 0);
  EXPECT_EQ(empty_strided({1, 2}, {0, 1}).storage().bytes(), 2 * sizeof(float));
  EXPECT_EQ(empty_strided({}, {}).numel(), 1);
  EXPECT_EQ(columns.new_empty_strided({2}, {3}).dtype(), kLong);
  EXPECT_EQ(error_of<ShapeError>([] {
              empty_strided({2, 2}, {1, 1});
            }),
            "empty_strided: elements of sizes [2, 2] with strides [1, 1] overlap");
  EXPECT_EQ(error_of<ShapeError>([] { empty_strided({2}, {-1}); }),
            "empty_strided: Negative strides are not supported, got strides [-1]");
  EXPECT_THROW(empty_strided({3, 2}, {std::int64_t{1} << 62, 1}), ShapeError);
  EXPECT_THROW(empty_strided({2}, {std::int64_t{1} << 61}), ShapeError);
}

TEST(Creation, NewTensorsFollowTheTensor) {
  const Tensor x = ones({2}, kDouble);
  EXPECT_EQ(x.new_tensor(std::vector<int>{1, 2}).dtype(), kDouble);
  EXPECT_EQ(x.new_tensor(std::vector<int>{1, 2}, kLong).dtype(), kLong);
  EXPECT_EQ(x.new_tensor({{1, 2}}).sizes(), IntArrayRef({1, 2}));
  EXPECT_EQ(x.new_empty({3}).dtype(), kDouble);
  EXPECT_EQ(x.new_zeros({3}, "meta").device(), Device(kMeta));
  EXPECT_EQ(x.new_ones({3}).sum().item<double>(), 3);
  EXPECT_EQ(x.new_full({3}, 2).sum().item<double>(), 6);
  EXPECT_EQ(x.type(kLong).dtype(), kLong);
  EXPECT_TRUE(x.type(kDouble).is_same(x));
}

TEST(Creation, RefusesWhatCannotBe) {
  EXPECT_TRUE(has(error_of<ShapeError>([] { zeros({3, -1}); }), "negative dimension"));
  EXPECT_TRUE(has(error_of<ShapeError>([] {
                    empty({3, -1});
                  }),
                  "Trying to create tensor with negative dimension -1: [3, -1]"));
  EXPECT_THROW(empty({std::int64_t{1} << 40, std::int64_t{1} << 40}), ShapeError);
  EXPECT_TRUE(has(error_of([] { arange(0, 10, 0); }), "step must be nonzero"));
  EXPECT_TRUE(has(error_of([] { arange(0, 10, -1); }),
                  "upper bound and lower bound inconsistent with step sign"));
  EXPECT_TRUE(has(error_of([] { arange(0, NAN); }), "unsupported range: 0 -> nan"));
  EXPECT_TRUE(has(error_of([] { linspace(0, 1, -1); }), "number of steps must be non-negative"));
  EXPECT_TRUE(has(error_of([] { eye(-1); }), "n must be greater or equal to 0, got -1"));
  EXPECT_THROW(tensor({{1., 2.}, {3.}}), ShapeError);
  EXPECT_THROW(empty_strided({2, 2}, {1, 1}), ShapeError);
  EXPECT_THROW(zeros({2}, kLong).requires_grad_(), DTypeError);
}

TEST(Creation, FloatsHavePyTorchsBits) {
  const auto bits = [](const Tensor& t) { return t.to_vector<float>(); };
  // torch.arange(0, 1, 0.1)[8:] and a longer one, whose groups of 8 have their own start.
  EXPECT_EQ(bits(arange(0, 1, 0.1))[9], 0.9f);
  const std::vector<float> longer = bits(arange(0, 3.2, 0.1));
  ASSERT_EQ(longer.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i) {
    const double first = static_cast<float>(0.1 * static_cast<double>(i / 8 * 8));
    EXPECT_EQ(longer[i], static_cast<float>(first + 0.1 * static_cast<double>(i % 8))) << i;
  }
  EXPECT_EQ(bits(linspace(0, 1, 1)), std::vector<float>{0});
  EXPECT_EQ(bits(linspace(0, 1, 2)), (std::vector<float>{0, 1}));
  const std::vector<float> line = bits(linspace(0.1, 0.9, 33));
  const float step = (0.9f - 0.1f) / 32;
  for (int i = 0; i < 33; ++i) {
    const float wanted = i < 16 ? std::fma(step, static_cast<float>(i), 0.1f)
                                : std::fma(-step, static_cast<float>(32 - i), 0.9f);
    EXPECT_EQ(line[static_cast<std::size_t>(i)], wanted) << i;
  }
}

TEST(Creation, RandomWithoutBoundsFillsTheDtype) {
  // torch.manual_seed(3); torch.empty(3, dtype=...).random_(), then torch.rand(1).
  const auto after_seed = [](ScalarType dtype) {
    manual_seed(3);
    return empty({3}, dtype).random_();
  };
  EXPECT_TRUE(after_seed(kFloat).equal(tensor({71389., 1771142., 4795460.})));
  EXPECT_EQ(rand({1}).item<float>(), 0x1.b9a0cp-6f);
  EXPECT_TRUE(after_seed(kDouble).equal(
      tensor({307219314442800., 2582726356426969., 6961798910534005.}, kDouble)));
  EXPECT_EQ(rand({1}).item<float>(), 0x1.8b32p-1f);
  EXPECT_TRUE(after_seed(kLong).equal(
      tensor({937055941807507096, 3839649608876091011, 5366245355481424840})));
  EXPECT_TRUE(after_seed(kBool).equal(tensor({false, false, true})));
}

TEST(FromBlob, ShowsTheMemoryAndFreesItOnce) {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  Tensor x = from_blob(memory.data(), {2, 3});
  EXPECT_EQ(x.data_ptr(), memory.data());
  x.add_(1);
  EXPECT_EQ(memory[5], 7);
  EXPECT_TRUE(from_blob(memory.data(), {3, 2}, {1, 3}).equal(x.t()));
  EXPECT_EQ(from_blob(memory.data(), {0}).numel(), 0);
  EXPECT_THROW(from_blob(memory.data(), {2, 3}, {3}), ShapeError);
  EXPECT_THROW(from_blob(memory.data(), {-1}), ShapeError);

  int freed = 0;
  {
    Tensor view;
    {
      const Tensor owner = from_blob(memory.data(), {6}, [&](void* data) {
        EXPECT_EQ(data, memory.data());
        ++freed;
      });
      view = owner.slice(0, 2);
    }
    EXPECT_EQ(freed, 0);
    EXPECT_EQ(view[0].item<float>(), 4);
  }
  EXPECT_EQ(freed, 1);
}

}  // namespace
}  // namespace tern
