#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Functions of core/ops/out_forms.txt, which write to a given tensor.

namespace tern {
namespace {

TEST(OutForm, WritesToTheTensor) {
  Tensor out = empty({2});
  const void* const memory = out.data_ptr();
  EXPECT_TRUE(&add_out(out, tensor({1.f, 2.f}), tensor({3.f, 4.f}), 2) == &out);
  EXPECT_TRUE(out.equal(tensor({7.f, 10.f})));
  EXPECT_EQ(out.data_ptr(), memory);
  Tensor column = zeros({2, 2});
  Tensor second = column.select(1, 1);
  exp_out(second, zeros({2}));
  EXPECT_TRUE(column.equal(tensor({{0.f, 1.f}, {0.f, 1.f}})));
}

TEST(OutForm, GivesTheTensorItsSizes) {
  Tensor out = empty({0});
  matmul_out(out, ones({2, 3}), ones({3, 4}));
  EXPECT_TRUE(out.equal(full({2, 4}, 3.f)));
  Tensor values = empty({0}), indices = empty({0}, kLong);
  const auto results = max_out(values, indices, tensor({{1.f, 5.f}, {7.f, 2.f}}), 1);
  EXPECT_TRUE(&std::get<0>(results) == &values);
  EXPECT_TRUE(values.equal(tensor({5.f, 7.f})) && indices.equal(tensor({1, 0})));
}

TEST(OutForm, KeepsTheDtype) {
  Tensor out = empty({2}, kDouble);
  mul_out(out, tensor({1, 2}), 3);
  EXPECT_EQ(out.dtype(), kDouble);
  EXPECT_TRUE(arange_out(out, 2).equal(tensor({0., 1.})));
  Tensor whole = zeros({2}, kLong);
  EXPECT_EQ(error_of<DTypeError>([&] { exp_out(whole, ones({2})); }),
            "exp(): result type Float can't be cast to the desired output type Long");
  EXPECT_TRUE(whole.equal(zeros({2}, kLong)));
}

TEST(OutForm, IsNotDifferentiable) {
  const Tensor x = ones({2}).requires_grad_();
  Tensor out = empty({2});
  const char* const text =
      "exp(): functions with out=... arguments don't support automatic differentiation, but one of "
      "the arguments requires grad.";
  EXPECT_EQ(error_of([&] { exp_out(out, x); }), text);
  Tensor with_grad = ones({2}).requires_grad_();
  EXPECT_EQ(error_of([&] { exp_out(with_grad, out); }), text);
  const NoGradGuard no_grad;
  EXPECT_FALSE(exp_out(out, x).requires_grad());
}

TEST(OutForm, HasTheNamesOfTheFunction) {
  const Tensor a = tensor({{4., 0.}, {0., 9.}});
  Tensor out = empty({0}, kDouble);
  EXPECT_TRUE(linalg::matrix_sqrth_out(out, a).equal(tensor({{2., 0.}, {0., 3.}})));
  EXPECT_TRUE(multiply_out(out, a, 2).equal(a * 2));
  EXPECT_TRUE(special::psi_out(out, ones({1}, kDouble)).equal(digamma(ones({1}, kDouble))));
  EXPECT_TRUE(linalg::diagonal(a).equal(tensor({4., 9.})));
}

TEST(OutForm, MayBeAnOperand) {
  Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  matmul_out(x, x, x);
  EXPECT_TRUE(x.equal(tensor({{7.f, 10.f}, {15.f, 22.f}})));
}

}  // namespace
}  // namespace tern
