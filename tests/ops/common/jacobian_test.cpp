#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

namespace tern {
namespace {

using namespace autograd::functional;
using autograd::variable_list;

TEST(Jacobian, OfOneTensor) {
  const Tensor x = tensor({1., 2., 3.});
  const Tensor j = jacobian([](const Tensor& t) { return t * t; }, x);
  EXPECT_TRUE(j.equal(tensor({{2., 0., 0.}, {0., 4., 0.}, {0., 0., 6.}})));
  EXPECT_FALSE(x.requires_grad() || j.requires_grad());
  const Tensor matrix = rand({2, 3});
  const Tensor product = jacobian([&](const Tensor& t) { return matrix.matmul(t); }, x);
  EXPECT_TRUE(product.equal(matrix));
  const Tensor none = jacobian([](const Tensor& t) { return t.slice(0, 0, 0); }, x);
  EXPECT_EQ(none.sizes(), IntArrayRef({0, 3}));
}

TEST(Jacobian, OfSeveralTensors) {
  const auto fn = [](const variable_list& in) { return variable_list{in[0] * in[1], in[1].sum()}; };
  const auto j = jacobian(fn, {tensor({1., 2.}), tensor({3., 4.})});
  ASSERT_EQ(j.size(), 2u);
  EXPECT_TRUE(j[0][0].equal(tensor({{3., 0.}, {0., 4.}})));
  EXPECT_TRUE(j[0][1].equal(tensor({{1., 0.}, {0., 2.}})));
  EXPECT_TRUE(j[1][0].equal(zeros({2}, kDouble)));
  EXPECT_TRUE(j[1][1].equal(ones({2}, kDouble)));
  EXPECT_EQ(error_of([&] {
              jacobian(fn, {tensor({1., 2.}), tensor({3., 4.})}, false, true);
            }),
            "Output 1 of the user-provided function is independent of input 0. This is not allowed "
            "in strict mode.");
}

TEST(Jacobian, CanBeDifferentiated) {
  const Tensor x = tensor({1., 2.}).requires_grad_();
  jacobian([](const Tensor& t) { return t.pow(3); }, x, /*create_graph=*/true).sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({6., 12.})));
}

TEST(Hessian, OfAPolynomial) {
  const Tensor x = tensor({2., 3.});
  const Tensor h = hessian([](const Tensor& t) { return t[0] * t[0] * t[1]; }, x);
  EXPECT_TRUE(h.equal(tensor({{6., 4.}, {4., 0.}})));
  EXPECT_EQ(error_of([&] { hessian([](const Tensor& t) { return t * 2; }, x); }),
            "The Tensor returned by the function given to hessian should contain a single element");
}

TEST(Products, AgreeWithTheMatrices) {
  manual_seed(3);
  const Tensor x = rand({3}, kDouble), a = rand({3, 3}, kDouble), v = rand({3}, kDouble);
  const auto vector_fn = [&](const variable_list& in) {
    return variable_list{a.matmul(in[0]).sin()};
  };
  const Tensor j = jacobian(vector_fn, {x})[0][0];
  EXPECT_TRUE(allclose(jvp(vector_fn, {x}, {v}).products[0], j.matmul(v)));
  EXPECT_TRUE(allclose(vjp(vector_fn, {x}, {v}).products[0], v.matmul(j)));
  const auto scalar_fn = [&](const variable_list& in) {
    return variable_list{a.matmul(in[0]).sin().sum()};
  };
  const Tensor h = hessian(scalar_fn, {x})[0][0];
  EXPECT_TRUE(allclose(hvp(scalar_fn, {x}, {v}).products[0], h.matmul(v)));
  EXPECT_TRUE(allclose(vhp(scalar_fn, {x}, {v}).products[0], v.matmul(h)));
}

TEST(Products, CheckTheirVectors) {
  const Tensor x = ones({3});
  const auto fn = [](const variable_list& in) { return variable_list{in[0] * 2}; };
  EXPECT_EQ(error_of<ShapeError>([&] { jvp(fn, {x}, {ones({2})}); }),
            "v has invalid size: should be [3] but got [2].");
  EXPECT_EQ(error_of([&] { vjp(fn, {x}); }),
            "The vector v can only be None if the user-provided function returns a single Tensor "
            "with a single element.");
  EXPECT_EQ(error_of([&] {
              jvp(fn, {x}, {x, x});
            }),
            "v is a tuple of invalid length: should be 1 but got 2.");
}

}  // namespace
}  // namespace tern
