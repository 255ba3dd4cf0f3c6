#include "core/autograd/autograd_test.h"

// Recorded elementwise ops in place that write to their tensor at once.

namespace tern::testing {
namespace {

// A rule that saves the result saves the tensor itself, as in PyTorch.
TEST(Overwrite, NeedsNoSecondTensor) {
  const Tensor leaf = tensor({0.5, -1.}).requires_grad_();
  Tensor x = leaf * 1;
  const void* const memory = x.data_ptr();
  const std::int64_t version = x._version();
  x.sigmoid_();
  EXPECT_EQ(x.data_ptr(), memory);
  EXPECT_EQ(x._version(), version + 1);
  x.sum().backward({}, /*retain_graph=*/true);
  EXPECT_TRUE(leaf.grad().allclose(sigmoid(leaf.detach()) * (1 - sigmoid(leaf.detach()))));
  x.add_(1);
  EXPECT_NE(error_of([&] { x.sum().backward(); }).find("modified by an inplace operation"),
            std::string::npos);
}

TEST(Overwrite, MayReadItself) {
  const Tensor leaf = tensor({3., -2.}).requires_grad_();
  Tensor x = leaf * 1;
  x.add_(x).sub_(x.detach(), 2).div_(4);
  EXPECT_TRUE(x.equal(tensor({-1.5, 1.})));
  x.sum().backward();
  EXPECT_TRUE(leaf.grad().equal(tensor({0.5, 0.5})));
  x.mul_(x.detach());  // saves its other operand, which it changes
  EXPECT_NE(error_of([&] { x.sum().backward(); }).find("modified by an inplace operation"),
            std::string::npos);
}

TEST(Overwrite, KeepsTheRulesOfSizesAndDtypes) {
  const Tensor other = ones({3, 2}, kDouble).requires_grad_();
  Tensor x = ones({2}, kDouble), single = ones({2}), view = zeros({4}, kDouble);
  EXPECT_THROW(x.add_(other), ShapeError);
  EXPECT_TRUE(x.equal(ones({2}, kDouble)) && !x.requires_grad());
  single.add_(other[0]);
  EXPECT_EQ(single.dtype(), kFloat);
  view.slice(0, 1, 3).sub_(other[1], 3);
  EXPECT_TRUE(view.equal(tensor({0., -3., -3., 0.})));
  view.sum().backward();
  EXPECT_TRUE(other.grad().equal(tensor({{0., 0.}, {-3., -3.}, {0., 0.}})));
}

}  // namespace
}  // namespace tern::testing
