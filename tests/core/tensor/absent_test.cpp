#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Arguments that may be absent, and the small classes that carry arguments.

namespace tern {
namespace {

TEST(Absent, AListMeansAnEmptyOne) {
  const Tensor x = arange(6, kFloat).reshape({2, 3});
  const std::optional<IntArrayRef> none;
  const std::vector<std::int64_t> rows = {1};
  const std::optional<IntArrayRef> some = IntArrayRef(rows);
  EXPECT_TRUE(x.sum(none, true).equal(x.sum({}, true)));
  EXPECT_TRUE(x.sum(std::nullopt, true).equal(x.sum({}, true)));
  EXPECT_TRUE(x.sum(some).equal(x.sum(1)));
  EXPECT_EQ(x.count_nonzero(std::optional<std::int64_t>()).item<std::int64_t>(), 5);
  EXPECT_TRUE(x.count_nonzero(std::optional<std::int64_t>(0)).equal(tensor({1, 2, 2})));
}

TEST(Absent, ATensorIsUndefined) {
  const Tensor x = ones({2, 3}), weight = ones({4, 3});
  const std::optional<Tensor> none, bias = full({4}, 2.);
  EXPECT_FALSE(Tensor(none).defined());
  EXPECT_TRUE(linear(x, weight, none).equal(linear(x, weight)));
  EXPECT_TRUE(linear(x, weight, std::nullopt).equal(linear(x, weight)));
  EXPECT_TRUE(linear(x, weight, bias).equal(linear(x, weight, *bias)));
  const Tensor same = bias;
  EXPECT_TRUE(same.is_same(*bias));
}

TEST(Absent, ANumberHasItsDefault) {
  const Tensor x = tensor({{3., 4.}, {6., 8.}});
  const std::optional<Scalar> none, one = Scalar(1);
  EXPECT_TRUE(x.norm(none, kDouble).equal(x.norm(2, kDouble)));
  EXPECT_TRUE(x.norm(none, 1).equal(tensor({5., 10.})));
  EXPECT_TRUE(x.norm(one, 1).equal(tensor({7., 14.})));
  EXPECT_TRUE(x.var(1, none).equal(x.var(1)));
  EXPECT_TRUE(x.std(1, std::optional<Scalar>(0), true).equal(x.std(1, 0, true)));
  EXPECT_TRUE(x.sum(std::optional<ScalarType>(kDouble)).equal(x.sum(kDouble)));
  EXPECT_TRUE(x.mean(std::optional<ScalarType>()).equal(x.mean()));
  EXPECT_TRUE(x.prod(std::optional<ScalarType>()).equal(x.prod()));
}

TEST(Absent, OptionsTellWhatIsOpen) {
  const TensorOptions open;
  EXPECT_FALSE(open.has_dtype() || open.has_device() || open.has_layout() ||
               open.has_requires_grad() || open.has_pinned_memory() || open.has_memory_format());
  const TensorOptions set = open.dtype(kDouble).device(kMeta).layout(kStrided).requires_grad(false);
  EXPECT_TRUE(set.has_dtype() && set.has_device() && set.has_layout() && set.has_requires_grad());
  EXPECT_EQ(set.requires_grad_opt(), std::optional<bool>(false));
  EXPECT_FALSE(set.dtype(std::nullopt).has_dtype());
  EXPECT_FALSE(set.device(std::nullopt).has_device());
  EXPECT_EQ(open.device(std::optional<Device>(kMeta)).device(), Device(kMeta));
  EXPECT_EQ(zeros({2}, kStrided).layout(), kStrided);
  EXPECT_EQ(zeros({2}, memory_format(MemoryFormat::Contiguous)).numel(), 2);
  EXPECT_EQ(error_of<NotImplementedError>([&] { static_cast<void>(open.layout(kSparse)); }),
            "the layout Sparse is not supported: tern has no sparse tensors");
  EXPECT_THROW(static_cast<void>(Tensor().layout()), Error);
}

TEST(Absent, ListsAreCut) {
  const std::vector<std::int64_t> values = {1, 2, 3};
  const IntArrayRef list = values;
  EXPECT_TRUE(list.slice(1).equals({2, 3}));
  EXPECT_TRUE(list.drop_back().equals({1, 2}) && list.drop_front(2).equals({3}));
  EXPECT_FALSE(list.equals({1, 2}));
  EXPECT_TRUE(IntArrayRef(values.data(), values.data() + 2).equals({1, 2}));
  EXPECT_EQ(list.at(2), 3);
  EXPECT_EQ(error_of<IndexError>([&] { static_cast<void>(list.at(3)); }),
            "index 3 is out of range for a list of 3");
  EXPECT_TRUE(tensor(list).equal(tensor({1, 2, 3})));
}

TEST(Absent, ScalarsTellTheirKind) {
  EXPECT_TRUE(Scalar(1.5).isFloatingPoint() && Scalar(2).isIntegral(false));
  EXPECT_TRUE(Scalar(true).isBoolean() && Scalar(true).isIntegral(true));
  EXPECT_FALSE(Scalar(true).isIntegral(false) || Scalar(1.5).isComplex());
  EXPECT_EQ(Scalar(1.5).type(), kDouble);
  EXPECT_EQ(Scalar(2).type(), kLong);
  EXPECT_EQ(Scalar(true).type(), kBool);
  EXPECT_EQ(Scalar(7).toInt() + Scalar(1).toShort() + Scalar(2).toChar() + Scalar(3).toByte(), 13);
  EXPECT_EQ(static_cast<float>(Scalar(0.5).toHalf()) + static_cast<float>(Scalar(1).toBFloat16()),
            1.5f);
  EXPECT_TRUE(Scalar(2).equal(2) && Scalar(2.5).equal(2.5) && Scalar(true).equal(true));
  EXPECT_FALSE(Scalar(1).equal(true) || Scalar(true).equal(1) || Scalar(2).equal(3));
}

TEST(Absent, MemoryOfOthersMayHaveStridesAndADeleter) {
  std::array<float, 6> memory = {0, 1, 2, 3, 4, 5};
  void* freed = nullptr;
  Tensor x = from_blob(
      memory.data(), {3, 2}, {1, 3}, [&](void* data) { freed = data; }, kFloat);
  EXPECT_TRUE(x.equal(arange(6, kFloat).reshape({2, 3}).t()));
  EXPECT_EQ(x.mutable_data_ptr<float>(), x.const_data_ptr<float>());
  EXPECT_EQ(x.mutable_data_ptr(), memory.data());
  x.reset();
  EXPECT_EQ(freed, memory.data());
}

TEST(Absent, TheMemoryOfATensorIsDescribed) {
  const Tensor x = zeros({2, 3});
  EXPECT_TRUE(x.is_non_overlapping_and_dense() && x.t().is_non_overlapping_and_dense());
  EXPECT_FALSE(x.slice(1, 0, 2).is_non_overlapping_and_dense());
  EXPECT_TRUE(x.has_storage());
  EXPECT_FALSE(Tensor().has_storage());
}

}  // namespace
}  // namespace tern
