#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// PyTorch's answers at the edges of ops: infinities, empty tensors, bools, 0-d tensors.

namespace tern {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool is_near(const Tensor& actual, const std::vector<double>& expected, double rtol = 1e-6) {
  return allclose(actual.to(kDouble).reshape({-1}), tensor(expected, kDouble), rtol, 0, true);
}

Tensor gradient_of_norm(const std::vector<double>& values, double order) {
  const Tensor x = tensor(values, kDouble).requires_grad_();
  norm(x, order).backward();
  return x.grad();
}

TEST(Edge, GradientsOfNormsAreZeroAtZero) {
  for (const double order : {0.5, 0.25, -0.5, -1.0, -2.0, 1.5, 3.0}) {
    EXPECT_TRUE(is_near(gradient_of_norm({0}, order), {0})) << order;
    EXPECT_TRUE(is_near(gradient_of_norm({0, 0}, order), {0, 0})) << order;
    EXPECT_TRUE(is_near(gradient_of_norm({0, 2}, order), {0, order > 0 ? 1. : 0.})) << order;
  }
  EXPECT_TRUE(is_near(gradient_of_norm({1, 2}, 0.5), {2.414213562373095, 1.7071067811865475}));
  EXPECT_TRUE(is_near(gradient_of_norm({1, 2}, -1), {0.4444444444444444, 0.1111111111111111}));
}

TEST(Edge, NormsOfNegativeOrder) {
  EXPECT_TRUE(is_near(norm(tensor({0., 2.}), -1), {0}));
  EXPECT_TRUE(is_near(norm(tensor({kInfinite}), -1), {kInfinite}));
  EXPECT_TRUE(is_near(norm(tensor({kInfinite, kInfinite}), -2), {kInfinite}));
  EXPECT_TRUE(is_near(norm(tensor({kInfinite, 1.}), -1), {1}));
  const std::string text = error_of([] { norm(zeros({2, 0}), -1, 1, false); });
  EXPECT_NE(text.find("linalg.vector_norm cannot compute the -1 norm on an empty tensor because "
                      "the operation does not have an identity"),
            text.npos)
      << text;
  EXPECT_EQ(norm(zeros({0, 2}), -1, 1, false).numel(), 0);
}

TEST(Edge, StdOfNumbersWhoseSquaresLeaveTheRange) {
  for (const double size : {1e30, 1e-30}) {
    const Tensor x = (tensor({0., 1., 0.}, kDouble) * size).to(kFloat).requires_grad_();
    const Tensor deviation = x.std();
    EXPECT_TRUE(is_near(deviation, {0.5773502691896258 * size})) << deviation;
    deviation.backward();
    EXPECT_TRUE(is_near(x.grad(), {-0.28867513459481287, 0.5773502691896257, -0.28867513459481287}))
        << x.grad();
    EXPECT_TRUE(is_near(x.std(0, false), {0.4714045207910317 * size}));
  }
  EXPECT_TRUE(is_near(tensor({2., 2.}).std(), {0}));
  EXPECT_TRUE(is_near(tensor({3.}).std(), {kNotANumber}));
  EXPECT_TRUE(is_near(tensor({kInfinite, 1., 2.}).std(), {kNotANumber}));
}

TEST(Edge, LerpFromTheNearerEnd) {
  const auto at = [](double from, double to, double weight) {
    return lerp(tensor({from}, kDouble), tensor({to}, kDouble), weight).item<double>();
  };
  EXPECT_TRUE(std::isnan(at(1, kInfinite, -1.75)));
  EXPECT_EQ(at(1, kInfinite, 0.25), kInfinite);
  EXPECT_EQ(at(1, kInfinite, -0.25), -kInfinite);
  EXPECT_EQ(at(kInfinite, 1, 2), -kInfinite);
  EXPECT_EQ(at(2, 4, -1.75), -1.5);
}

TEST(Edge, MaskedFillConvertsAsFill) {
  const Tensor mask = tensor({1, 0}).to(kBool), off = zeros({2}, kBool);
  for (const double value : {0.5, -3.0, kNotANumber, kInfinite}) {
    EXPECT_TRUE(equal(off.masked_fill(mask, value), mask)) << value;
  }
  EXPECT_TRUE(equal(mask.masked_fill(mask, 0.0), off));
  EXPECT_TRUE(equal(tensor({7, 8}).masked_fill(mask, -2.5), tensor({-2, 8})));
  EXPECT_TRUE(equal(tensor({7, 8}).masked_fill_(mask, 0.5), tensor({0, 8})));
  for (const double value : {kNotANumber, kInfinite, 1e30}) {
    const std::string text = error_of([&] { tensor({7, 8}).masked_fill(mask, value); });
    EXPECT_NE(text.find("value cannot be converted to type int64_t without overflow"), text.npos)
        << text;
  }
}

TEST(Edge, ClampPromotesWithBothBounds) {
  EXPECT_EQ(tensor({1}).clamp(2.5, 3).dtype(), kFloat);
  EXPECT_EQ(tensor({1}).clamp(0, 2.5).dtype(), kFloat);
  EXPECT_EQ(tensor({1}).clamp(0, 2).dtype(), kLong);
  EXPECT_EQ(tensor({1}).clamp(true, false).dtype(), kLong);
  EXPECT_EQ(tensor({1}).to(kBool).clamp(2.5, 3).dtype(), kFloat);
  EXPECT_EQ(tensor({1}).clamp_min(0.5).dtype(), kFloat);
}

TEST(Edge, CrossEntropyOfNoClasses) {
  for (const std::int64_t samples : {0, 3}) {
    const Tensor x = zeros({samples, 0}), loss = cross_entropy_loss(x, x);
    EXPECT_TRUE(std::isnan(loss.item<float>())) << samples;
    EXPECT_EQ(cross_entropy_loss(x, x, {}, Reduction::Sum).item<float>(), 0);
    EXPECT_EQ(cross_entropy_loss(x, x, {}, Reduction::None).numel(), samples);
  }
  EXPECT_TRUE(std::isnan(cross_entropy_loss(zeros({0}), zeros({0})).item<float>()));
}

TEST(Edge, BatchNormKeepsAnInfiniteMean) {
  for (const Device& device : {Device("cpu"), Device("cuda:0")}) {
    for (const ScalarType dtype : {kFloat, kDouble}) {
      SCOPED_TRACE(device.str() + " " + dtype_info(dtype).name);
      for (const int place : {0, 1}) {  // index of infinity; 0 may be a special case
        const std::vector<double> values = place == 0 ? std::vector{kInfinite, 2., 1., 3., 3., 4.}
                                                      : std::vector{1., 2., kInfinite, 3., 3., 4.};
        const Tensor column = tensor(values, kDouble).reshape({3, 2}).to(device, dtype);
        Tensor mean = zeros({2}, column.options()), variance = ones({2}, column.options());
        batch_norm(column, {}, {}, mean, variance, true, 0.5, 1e-5);
        EXPECT_TRUE(is_near(mean.cpu(), {kInfinite, 1.5})) << mean;
        EXPECT_TRUE(is_near(variance.cpu(), {kNotANumber, 1})) << variance;
        const Tensor image = column.t().reshape({1, 2, 3});
        mean.zero_();
        batch_norm(image, {}, {}, mean, variance.fill_(1), true, 0.5, 1e-5);
        EXPECT_TRUE(is_near(mean.cpu(), {kInfinite, 1.5})) << mean;
      }
    }
  }
}

TEST(Edge, MseLossPromotesAsIfExpanded) {
  const Tensor zero_dim = scalar_tensor(1, kDouble);
  EXPECT_EQ(mse_loss(zero_dim, ones({3})).dtype(), kDouble);
  EXPECT_EQ(mse_loss(ones({3}), zero_dim).dtype(), kDouble);
  EXPECT_EQ(mse_loss(ones({3}), ones({3}, kLong)).dtype(), kFloat);
}

TEST(Edge, ScalarTensorsAreOfTheDefaultDtype) {
  EXPECT_EQ(scalar_tensor(0).dtype(), kFloat);
  EXPECT_EQ(scalar_tensor(true).dtype(), kFloat);
  EXPECT_EQ(scalar_tensor(0, kLong).dtype(), kLong);
}

TEST(Edge, ChunksOfAnEmptyDimension) {
  const std::vector<Tensor> pieces = zeros({0, 5}).chunk(3);
  ASSERT_EQ(pieces.size(), 3u);
  for (const Tensor& piece : pieces) EXPECT_EQ(piece.sizes(), IntArrayRef({0, 5}));
  EXPECT_EQ(zeros({2, 5}).chunk(3).size(), 2u);
}

TEST(Edge, UnpooledTensorsAndGridsAreNoViews) {
  const Tensor index = zeros({1, 1, 1}, kLong);
  for (const bool records : {false, true}) {
    const Tensor plane = ones({1, 1, 1}).requires_grad_(records);
    const Tensor volume = ones({1, 1, 1, 1}).requires_grad_(records);
    const Tensor theta = ones({1, 2, 3}).requires_grad_(records);
    EXPECT_FALSE(max_unpool2d(plane, index, {2, 3}).is_view());
    EXPECT_FALSE(
        max_unpool3d(volume, index.unsqueeze(0), {2, 2, 3}, {1, 1, 1}, {0, 0, 0}).is_view());
    EXPECT_FALSE(affine_grid_generator(theta, {1, 1, 2, 3}, false).is_view());
  }
}

TEST(Edge, ProductsAreNoViews) {
  const Tensor x = ones({2, 3}).requires_grad_(), v = ones({3});
  for (Tensor product : {v.dot(v), mv(x, v), v.matmul(x.t()), x.expand({2, 2, 3}).matmul(v),
                         linear(x, v.view({1, 3})), x.expand({2, 2, 3}).matmul(x.t())}) {
    EXPECT_FALSE(product.is_view());
  }
  Tensor product = mv(x, v);
  EXPECT_FALSE(product.detach_().requires_grad());
}

TEST(Edge, SumsToBool) {
  EXPECT_TRUE(tensor({1, -1}).sum(kBool).item<bool>());
  EXPECT_TRUE(equal(zeros({2, 3}).sum(1, false, kBool), zeros({2}, kBool)));
  const Tensor x = ones({2}).requires_grad_();
  EXPECT_EQ(
      error_of<DTypeError>([&] { x.sum(kLong); }),
      "sum: Autograd not support dtype: Long, for the sum of a tensor of Float that requires grad");
  EXPECT_EQ(x.detach().sum(kLong).item<std::int64_t>(), 2);
}

TEST(Edge, CatOfEmptyVectorsTakesAnyDimension) {
  EXPECT_EQ(cat({zeros({0}), zeros({0})}, -2).sizes(), IntArrayRef({0}));
  EXPECT_EQ(cat({zeros({0}), ones({2, 3})}, -2).sizes(), IntArrayRef({2, 3}));
}

TEST(Edge, ArgmaxRefusesBools) {
  const Tensor mask = ones({2}, kBool);
  EXPECT_EQ(error_of<NotImplementedError>([&] { mask.argmax(); }),
            "argmax(): does not support bool input. Got a tensor of Bool: use to(kLong) first");
  EXPECT_EQ(error_of<NotImplementedError>([&] { mask.argmin(0); }),
            "argmin(): does not support bool input. Got a tensor of Bool: use to(kLong) first");
}

TEST(Edge, AnIndexIntoA0dTensorHasOneElement) {
  const Tensor x = scalar_tensor(3), twice = tensor({0, 0});
  EXPECT_EQ(x.index_select(0, tensor({0})).item<float>(), 3);
  EXPECT_EQ(error_of<IndexError>([&] { x.index_select(0, twice); }),
            "index_select(): Index to scalar can have only 1 value, got 2 value(s)");
  EXPECT_THROW(x.index_add(0, twice, x), IndexError);
  EXPECT_EQ(x.index_add(0, tensor({0}), x).item<float>(), 6);
}

TEST(Edge, AnEmptyIndexChoosesNothing) {
  const Tensor none = empty({0}, kLong), x = ones({2, 3}).requires_grad_();
  const Tensor taken = x.gather(0, none);
  EXPECT_EQ(taken.sizes(), IntArrayRef({0}));
  taken.sum().backward();
  EXPECT_TRUE(equal(x.grad(), zeros({2, 3})));
  const Tensor source = ones({2, 3}).requires_grad_();
  const Tensor added = x.scatter_add(1, none, source);
  EXPECT_TRUE(equal(added, x));
  added.sum().backward();
  EXPECT_TRUE(equal(x.grad(), ones({2, 3})));
  EXPECT_TRUE(equal(source.grad(), zeros({2, 3})));
  EXPECT_EQ(x.gather(1, empty({0, 5}, kLong)).sizes(), IntArrayRef({0, 5}));
}

TEST(Edge, RemainderOfBoolsHasAGradient) {
  const Tensor x = tensor({5.5, 0.75}).requires_grad_();
  const Tensor rest = ones({2}, kBool) % x;
  EXPECT_TRUE(is_near(rest, {1, 0.25}));
  rest.sum().backward();
  EXPECT_TRUE(is_near(x.grad(), {0, -1}));
}

TEST(Edge, ExpandedTensorsAreFilled) {
  Tensor x = zeros({2, 1});
  x.expand({2, 3}).fill_(2);
  EXPECT_TRUE(equal(x, full({2, 1}, 2.)));
  EXPECT_EQ(x._version(), 1);
  EXPECT_TRUE(equal(zeros({1}).expand({3}).zero_(), zeros({3})));
  const Tensor leaf = ones({2, 1}).requires_grad_();
  Tensor y = leaf * 3, wide = y.expand({2, 3});
  wide[0].fill_(7);
  EXPECT_TRUE(equal(wide, tensor({{7., 7., 7.}, {3., 3., 3.}})));
  wide.sum().backward();
  EXPECT_TRUE(equal(leaf.grad(), tensor({{0.}, {9.}})));
}

TEST(Edge, EmptyTensorsHaveGradients) {
  const Tensor x = zeros({0, 2}).requires_grad_();
  (x * 2).sum().backward();
  (x + x).sum().backward();
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({0, 2}));
  EXPECT_TRUE(equal(zeros({2, 4, 0}).matmul(zeros({0})), zeros({2, 4})));
  EXPECT_TRUE(equal(zeros({2, 4, 0}).matmul(zeros({0, 3})), zeros({2, 4, 3})));
  EXPECT_EQ(zeros({0, 2}).expand({3, 0, 2}).sigmoid_().sizes(), IntArrayRef({3, 0, 2}));
}

}  // namespace
}  // namespace tern
