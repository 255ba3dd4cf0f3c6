#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <tern/tern.h>

namespace tern {
namespace {

TEST(Print, EqualsPython) {
#define TERN_PRINTS(expression, text) EXPECT_EQ(to_string expression, text) << #expression;
#include "golden/print.h"
#undef TERN_PRINTS
}

TEST(Print, StreamsAndShowsUndefined) {
  std::ostringstream out;
  out << tensor({1, 2}) << Tensor();
  EXPECT_EQ(out.str(), "tensor([1, 2])tensor(undefined)");
}

TEST(Print, FollowsOptions) {
  const PrintOptions before = get_printoptions();
  PrintOptions options = before;
  options.precision = 2;
  options.threshold = 4;
  options.edgeitems = 1;
  set_printoptions(options);
  EXPECT_EQ(to_string(tensor({0.125, 1., 2., 3.})), "tensor([0.12, 1.00, 2.00, 3.00])");
  EXPECT_EQ(to_string(arange(5)), "tensor([0,  ..., 4])");
  options.linewidth = 20;
  set_printoptions(options);
  EXPECT_EQ(to_string(tensor({1., 2., 3.5, 4.})), "tensor([1.00, 2.00,\n        3.50, 4.00])");
  // What follows the elements wraps as in Python.
  options = before;
  options.linewidth = 40;
  set_printoptions(options);
  EXPECT_EQ(to_string(ones({2}, kDouble).requires_grad_()),
            "tensor([1., 1.], dtype=torch.float64,\n       requires_grad=True)");
  EXPECT_EQ(to_string(ones({2}).requires_grad_()), "tensor([1., 1.], requires_grad=True)");
  EXPECT_EQ(to_string(ones({3}, kDouble).requires_grad_()),
            "tensor([1., 1., 1.],\n       dtype=torch.float64,\n       requires_grad=True)");
  set_printoptions(before);
}

TEST(Print, LeavesTheTensorAlone) {
  const Tensor x = ones({2, 2}).requires_grad_();
  Tensor y = x * 1;
  const auto node = y.grad_fn();
  to_string(y[0]);
  EXPECT_EQ(y.grad_fn().get(), node.get());
  EXPECT_EQ(y._version(), 0);
}

TEST(Print, OfAPieceThatMustNotBeUsedAnyMore) {
  const Tensor x = ones({2}).requires_grad_();
  Tensor y = x * 1;
  const Tensor piece = y.unbind()[0];
  y.mul_(2);
  EXPECT_EQ(to_string(piece), "tensor(2., grad_fn=<Invalid>)");
}

TEST(Print, OfSmallThings) {
  const auto text = [](const auto& value) {
    std::ostringstream out;
    out << value;
    return out.str();
  };
  EXPECT_EQ(text(ones({2, 3}).sizes()), "[2, 3]");
  EXPECT_EQ(text(kFloat), "Float");
  EXPECT_EQ(text(Device("cuda:1")), "cuda:1");
  EXPECT_EQ(text(kCUDA), "cuda");
}

}  // namespace
}  // namespace tern
