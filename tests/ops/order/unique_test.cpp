#include <limits>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// unique, unique_dim and unique_consecutive, whose sizes depend on the elements.

namespace tern::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Expected {
  Tensor values, inverse, counts;
};

void expect_results(const std::tuple<Tensor, Tensor, Tensor>& results, const Expected& expected) {
  const auto& [values, inverse, counts] = results;
  EXPECT_EQ(values.dtype(), expected.values.dtype());
  EXPECT_EQ(values.sizes(), expected.values.sizes());
  EXPECT_TRUE(allclose(values.to(kCPU).to(kDouble), expected.values.to(kDouble), 0, 0, true));
  EXPECT_TRUE(equal(inverse.to(kCPU), expected.inverse)) << inverse;
  EXPECT_TRUE(equal(counts.to(kCPU), expected.counts)) << counts;
}

Tensor longs(const std::vector<std::int64_t>& list) { return tensor(list); }

class Unique : public ::testing::TestWithParam<const char*> {
 protected:
  Tensor on_device(const Tensor& x) const { return x.to(GetParam()); }
};

TEST_P(Unique, SortsAndCounts) {
  const Tensor x = on_device(longs({3, 1, 2, 3, 1, 3}).view({2, 3}));
  expect_results(x.unique(true, true, true),
                 {longs({1, 2, 3}), longs({2, 0, 1, 2, 0, 2}).view({2, 3}), longs({2, 1, 3})});
  expect_results(x.t().unique(true, true, true),
                 {longs({1, 2, 3}), longs({2, 2, 0, 0, 1, 2}).view({3, 2}), longs({2, 1, 3})});
  expect_results(x.unique(), {longs({1, 2, 3}), longs({}), longs({})});
  expect_results(x.unique(false, false, true), {longs({1, 2, 3}), longs({}), longs({2, 1, 3})});
}

TEST_P(Unique, EachNanIsUniqueAndZerosAreEqual) {
  const Tensor x = on_device(tensor({1.0F, kNan, kNan, 0.0F, -0.0F, kNan}));
  expect_results(x.unique(true, true, true), {tensor({0.0F, 1.0F, kNan, kNan, kNan}),
                                              longs({1, 2, 3, 0, 0, 4}), longs({2, 1, 1, 1, 1})});
  expect_results(
      unique_consecutive(x, true, true),
      {tensor({1.0F, kNan, kNan, 0.0F, kNan}), longs({0, 1, 2, 3, 3, 4}), longs({1, 1, 1, 2, 1})});
}

TEST_P(Unique, OfNoElementAndOfOne) {
  expect_results(on_device(zeros({0, 2})).unique(true, true, true),
                 {zeros({0}), zeros({0, 2}, kLong), longs({})});
  expect_results(on_device(scalar_tensor(4)).unique(true, true, true),
                 {tensor({4.0F}), scalar_tensor(0, kLong), longs({1})});
}

TEST_P(Unique, ConsecutiveKeepsTheOrder) {
  const Tensor x = on_device(longs({2, 2, 1, 1, 2}));
  expect_results(unique_consecutive(x, true, true),
                 {longs({2, 1, 2}), longs({0, 0, 1, 1, 2}), longs({2, 2, 1})});
  const Tensor rows = on_device(longs({1, 2, 1, 2, 0, 3}).view({3, 2}));
  expect_results(unique_consecutive(rows, true, true, 0),
                 {longs({1, 2, 0, 3}).view({2, 2}), longs({0, 0, 1}), longs({2, 1})});
}

TEST_P(Unique, OfSlices) {
  const Tensor x = on_device(longs({1, 2, 1, 2, 0, 3}).view({3, 2}));
  expect_results(unique_dim(x, 0, true, true, true),
                 {longs({0, 3, 1, 2}).view({2, 2}), longs({1, 1, 0}), longs({1, 2})});
  expect_results(unique_dim(x, -1, true, true, true),
                 {longs({1, 2, 1, 2, 0, 3}).view({3, 2}), longs({0, 1}), longs({1, 1})});
  expect_results(unique_dim(on_device(zeros({0, 2})), 0, true, true, true),
                 {zeros({0, 2}), longs({}), longs({})});
}

TEST_P(Unique, OfManyElements) {
  manual_seed(1);
  for (const ScalarType dtype : {kFloat, kDouble, kLong, kShort, kByte, kBool, kHalf}) {
    const Tensor x = randint(0, 90, {40, 30}).to(dtype);
    const auto [values, inverse, counts] = on_device(x).unique(true, true, true);
    EXPECT_TRUE(equal(values.index_select(0, inverse.reshape({-1})).to(kCPU), x.reshape({-1})));
    EXPECT_EQ(counts.sum().item<std::int64_t>(), 1200);
    const Tensor numbers = values.to(kDouble);
    EXPECT_TRUE(
        (numbers.slice(0, 1) > numbers.slice(0, 0, numbers.size(0) - 1)).all().item<bool>());
    const Tensor rows = x.slice(1, 0, 1).contiguous();
    const auto [slices, of, rest] = unique_dim(on_device(rows), 0, true, true, true);
    EXPECT_TRUE(equal(slices.index_select(0, of).to(kCPU), rows));
    EXPECT_EQ(rest.sum().item<std::int64_t>(), 40);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Unique, ::testing::Values("cpu", "cuda:0"));

TEST(UniqueErrors, NameTheOp) {
  EXPECT_NE(error_of([] {
              unique_dim(zeros({0, 0}), 0);
            }).find("Number of zero sized dimensions is more than one, so unique cannot be"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              unique_dim(zeros({2, 0}), 0);
            }).find("There are 0 sized dimensions, and they aren't selected"),
            std::string::npos);
  const Tensor x = ones({3}).requires_grad_();
  const Tensor values = std::get<0>(x.unique());
  EXPECT_EQ(values.grad_fn()->name(), "Unique2Backward0");
  EXPECT_NE(error_of([&] {
              values.sum().backward();
            }).find("the derivative for 'aten::_unique2' is not implemented."),
            std::string::npos);
}

}  // namespace
}  // namespace tern::testing
