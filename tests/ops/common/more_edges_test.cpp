#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// PyTorch's answers at the edges of ops: bools, small shapes, tensors that must not be changed.

namespace tern {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool holds_exactly(const Tensor& actual, const Tensor& expected) {
  return actual.dtype() == expected.dtype() && equal(actual, expected);
}

TEST(MoreEdges, BoolsHaveSignsSquaresAndPowers) {
  const Tensor mask = tensor({1, 0}).to(kBool);
  EXPECT_TRUE(holds_exactly(sign(mask), mask));
  EXPECT_TRUE(holds_exactly(mask.clone().sign_(), mask));
  EXPECT_TRUE(holds_exactly(square(mask), tensor({1, 0})));
  EXPECT_TRUE(holds_exactly(mask.pow(2), tensor({1, 0})));
  EXPECT_TRUE(holds_exactly(mask.pow(true), mask));
  EXPECT_TRUE(holds_exactly(mask.pow(false), ones({2}, kBool)));
  EXPECT_TRUE(holds_exactly(mask.clone().pow_(true), mask));
  EXPECT_THROW(mask.clone().square_(), DTypeError);
  EXPECT_THROW(mask.pow(mask), NotImplementedError);
  EXPECT_EQ(error_of<NotImplementedError>([&] { mask.clone().abs_(); }),
            "\"abs_cpu\" not implemented for 'Bool'");
}

TEST(MoreEdges, LinearTakesAVectorOfWeights) {
  const Tensor x = tensor({{1., 2.}, {3., 4.}}).requires_grad_(), row = tensor({1., 2.});
  const Tensor one = scalar_tensor(1);
  const Tensor out = linear(x, row);
  EXPECT_TRUE(equal(out, tensor({5., 11.})));
  EXPECT_EQ(out.grad_fn()->name(), "MvBackward0");
  EXPECT_TRUE(equal(linear(row, row), scalar_tensor(5)));
  EXPECT_TRUE(equal(linear(row, row, one), scalar_tensor(6)));
  EXPECT_TRUE(equal(linear(ones({2, 2, 2}), row, one), full({2, 2}, 4.)));
  EXPECT_EQ(error_of([&] { linear(x, row, one); }),
            "linear: mat2 must be a matrix, got 1-D tensor");
  EXPECT_EQ(error_of([&] { linear(one, row); }),
            "linear: both arguments to linear need to be at least 1D, but they are 0D and 1D");
  EXPECT_THROW(linear(x, ones({1, 2, 2})), ShapeError);
}

TEST(MoreEdges, LinearBroadcastsItsBias) {
  const Tensor x = tensor({{1., 2.}, {3., 4.}}), weight = ones({3, 2});
  const Tensor expected = tensor({{4., 4., 4.}, {8., 8., 8.}});
  for (const Tensor& bias : {scalar_tensor(1), ones({1}), ones({1, 3}), ones({2, 3})}) {
    const Tensor leaf = bias.clone().requires_grad_();
    const Tensor out = linear(x, weight, leaf);
    EXPECT_TRUE(equal(out, expected)) << bias.sizes();
    EXPECT_EQ(out.grad_fn()->name(), "AddmmBackward0");
    out.sum().backward();
    EXPECT_EQ(leaf.grad().sum().item<float>(), 6);
  }
  for (const Tensor& bias : {scalar_tensor(1), ones({1}), ones({2, 3})}) {
    EXPECT_TRUE(equal(linear(ones({4, 2, 2}), weight, bias), full({4, 2, 3}, 3.)));
  }
  EXPECT_TRUE(equal(linear(x[0], weight, scalar_tensor(1)), expected[0]));
  const Tensor row = tensor({{1., 2., 3.}}).requires_grad_();  // added to the rows of the input
  for (const Tensor& input : {x[0], x.t()[0], ones({4, 2, 2})}) {
    const Tensor out = linear(input, weight, row);
    EXPECT_TRUE(equal(out, input.sum(-1, true) + row[0]));
    EXPECT_EQ(out.grad_fn()->name(), "UnsafeViewBackward0");
    const double rows = static_cast<double>(input.numel()) / 2;
    EXPECT_TRUE(equal(autograd::grad({out.sum()}, {row})[0], full({1, 3}, rows)));
  }
  EXPECT_THROW(linear(x[0], weight, ones({1, 1})), ShapeError);
  EXPECT_THROW(linear(x, weight, ones({2})), ShapeError);
  EXPECT_THROW(linear(x, weight, ones({2, 2, 3})), ShapeError);
  EXPECT_THROW(linear(x[0], weight, ones({2, 3})), ShapeError);
}

TEST(MoreEdges, OfNumbersAsTensors) {
  const Tensor x = scalar_tensor(3).requires_grad_();
  EXPECT_TRUE(x.mT().is_same(x));
  EXPECT_TRUE(holds_exactly(scalar_tensor(true, kBool).sum_to_size({}), scalar_tensor(1, kLong)));
  EXPECT_TRUE(equal(x.gather(0, tensor({0, 0})), tensor({3., 3.})));
  EXPECT_TRUE(equal(tensor({1., 2.}).gather(0, scalar_tensor(1, kLong)), scalar_tensor(2)));
  const Tensor source = tensor({2., 5.}).requires_grad_();
  const Tensor sum = x.scatter_add(0, tensor({0}), source);
  EXPECT_EQ(sum.item<float>(), 5);
  sum.backward();
  EXPECT_TRUE(equal(x.grad(), scalar_tensor(1)));
  EXPECT_TRUE(equal(source.grad(), tensor({1., 0.})));
}

TEST(MoreEdges, OfNothing) {
  for (const ScalarType dtype : {kFloat, kLong, kBool}) {
    EXPECT_TRUE(holds_exactly(zeros({2, 0}, dtype).softmax(1), zeros({2, 0}, dtype)));
    EXPECT_TRUE(holds_exactly(zeros({0}, dtype).log_softmax(0), zeros({0}, dtype)));
  }
  const Tensor x = ones({2, 3});
  EXPECT_EQ(x.gather(0, zeros({0})).sizes(), IntArrayRef({0}));  // an empty index has any dtype
  EXPECT_TRUE(equal(x.scatter_add(0, zeros({0}), x), x));
  EXPECT_EQ(batch_norm(zeros({0}), {}, {}, {}, {}, true, 0.1, 1e-5).sizes(), IntArrayRef({0}));
  EXPECT_THROW(batch_norm(zeros({3}), {}, {}, {}, {}, true, 0.1, 1e-5), ShapeError);
  for (const std::int64_t place : {-1, 2}) {
    EXPECT_EQ(error_of<IndexError>([&] {
                zeros({2, 0}).index_select(0, tensor({place}));
              }),
              "index_select: index out of range in self: index " + std::to_string(place) +
                  " is out of bounds for dimension with size 2");
    EXPECT_THROW(zeros({0}).index_select(0, tensor({place})), IndexError);
    EXPECT_THROW(zeros({0}).index_add(0, tensor({place}), ones({1})), IndexError);
  }
}

TEST(MoreEdges, MseLossRefusesIntegers) {
  const Tensor a = tensor({1, 2});
  for (const Reduction reduction : {kNone, kMean, kSum}) {
    EXPECT_EQ(error_of<NotImplementedError>([&] { mse_loss(a, a, reduction); }),
              "mse_loss: \"mse_cpu\" not implemented for 'Long'");
  }
  EXPECT_EQ(mse_loss(a, tensor({1., 4.})).item<float>(), 2);
}

TEST(MoreEdges, WeightsOfLossesAreConstants) {
  const Tensor x = rand({2, 3}), target = tensor({0, 2}), shares = rand({2, 3});
  const Tensor weight = ones({3}).requires_grad_();
  const auto text = [](const std::string& op, const std::string& function, const char* name) {
    return op + ": The function '" + function +
           "' is not differentiable with respect to argument '" + name +
           "'. This input cannot have requires_grad True.";
  };
  EXPECT_EQ(error_of([&] { binary_cross_entropy(x, shares, weight); }),
            text("binary_cross_entropy", "binary_cross_entropy", "weight"));
  const std::string logits = "binary_cross_entropy_with_logits";
  EXPECT_EQ(error_of([&] { binary_cross_entropy_with_logits(x, shares, weight); }),
            text(logits, logits, "weight"));
  EXPECT_EQ(error_of([&] { binary_cross_entropy_with_logits(x, shares, {}, weight); }),
            text(logits, logits, "pos_weight"));
  EXPECT_EQ(error_of([&] { nll_loss(x, target, weight); }),
            text("nll_loss", "nll_loss_forward", "weight"));
  EXPECT_EQ(error_of([&] { cross_entropy_loss(x, target, weight); }),
            text("cross_entropy_loss", "nll_loss_forward", "weight"));
  EXPECT_TRUE(cross_entropy_loss(x, shares, weight).requires_grad());  // a product like others
  const NoGradGuard no_grad;
  EXPECT_FALSE(nll_loss(x, target, weight).requires_grad());
}

TEST(MoreEdges, SubWithAlpha0AddsAZero) {
  const Tensor zero = tensor({-0.0});
  const auto is_negative = [](const Tensor& x) { return std::signbit(x.item<float>()); };
  EXPECT_FALSE(is_negative(sub(zero, tensor({0.}), 0)));
  EXPECT_FALSE(is_negative(sub(zero, 5., 0)));
  EXPECT_TRUE(is_negative(sub(zero, tensor({-5.}), 0)));
  EXPECT_TRUE(is_negative(zero - 0.));
}

TEST(MoreEdges, ArangeNeedsFiniteNumbers) {
  EXPECT_EQ(error_of<ShapeError>([] { arange(kInfinite); }), "arange: unsupported range: 0 -> inf");
  EXPECT_EQ(error_of<ShapeError>([] { arange(0, 1, kInfinite); }),
            "arange: step must be finite but got inf");
  EXPECT_THROW(arange(-kInfinite, 0), ShapeError);
}

TEST(MoreEdges, NormOfOrder0HasNoGradient) {
  const Tensor x = tensor({1., 0., 2.}).requires_grad_();
  const Tensor count = norm(x, 0);
  EXPECT_TRUE(count.requires_grad());
  count.backward();
  EXPECT_FALSE(x.grad().defined());
  (norm(x, 0) + x.sum()).backward();
  EXPECT_TRUE(equal(x.grad(), ones({3})));
}

// PyTorch saves these tensors for backward.
TEST(MoreEdges, ChangesOfSavedTensorsAreNoticed) {
  const Tensor leaf = (rand({3, 4}, kDouble) + 0.5).requires_grad_();
  const std::string modified = "has been modified by an inplace operation";
  const auto is_noticed = [&](const auto& compute, Tensor& changed) {
    const Tensor out = compute();
    {
      const NoGradGuard no_grad;
      changed.zero_();
    }
    return error_of([&] { out.sum().backward(); }).find(modified) != std::string::npos;
  };
  const auto input_and_result = [&](const auto& op) {
    Tensor x = leaf * 1, out = op(x);
    EXPECT_TRUE(is_noticed([&] { return op(x); }, x));
    x = leaf * 1;
    EXPECT_TRUE(is_noticed([&] { return out = op(x); }, out));
  };
  input_and_result([](const Tensor& x) { return x.std(); });
  input_and_result([](const Tensor& x) { return x.prod(); });
  input_and_result([](const Tensor& x) { return x.prod(1); });
  for (const double order : {0., 1., 2., 3., kInfinite}) {
    input_and_result([&](const Tensor& x) { return x.norm(order, 1); });
  }
  Tensor x = leaf * 1;
  EXPECT_TRUE(is_noticed([&] { return x.var(); }, x));
  Tensor target = tensor({1, -100, 3}), weight = ones({4}, kDouble);
  EXPECT_TRUE(is_noticed([&] { return nll_loss(leaf, target); }, target));
  target = tensor({1, 0, 3});
  EXPECT_TRUE(is_noticed([&] { return nll_loss(leaf, target, weight); }, weight));
  const auto smooth = [&] { return cross_entropy_loss(leaf, target, {}, kMean, -100, 0.1); };
  EXPECT_TRUE(is_noticed(smooth, target));
}

TEST(MoreEdges, CopyingALeafToItselfIsAChange) {
  Tensor x = ones({2}).requires_grad_();
  EXPECT_THROW(x.copy_(x), Error);
  Tensor y = x * 2;
  y.copy_(y);
  EXPECT_EQ(y._version(), 1);
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), full({2}, 2.)));
}

TEST(MoreEdges, NormsOfTinyNumbersAreNoViews) {
  Tensor norm = full({2, 2}, 1e-30).requires_grad_().norm(2, 1);
  EXPECT_FALSE(norm.is_view());
  norm.detach_();
}

TEST(MoreEdges, SquaresOfNarrowIntegersAreNotWidened) {
  EXPECT_EQ(square(ones({2}, kInt)).dtype(), kInt);
  EXPECT_TRUE(square(tensor({100, -5}, kChar)).equal(tensor({16, 25}, kChar)));
  EXPECT_EQ(square(ones({2}, kBool)).dtype(), kLong);
}

// A row of them does not fit the buffers of the CPU's kernels at once.
TEST(Edges, LongRowsOfOneNumber) {
  const std::int64_t n = 20000;
  for (const ScalarType dtype :
       {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kChar, kByte}) {
    const auto row = [&](int value) { return full({1}, value, dtype).expand({n}); };
    const Tensor condition = ones({1}, kBool).expand({n});
    const auto check = [&](const Tensor& result, int expected) {
      EXPECT_TRUE(result.equal(full({n}, expected, dtype))) << dtype_info(dtype).python_name;
    };
    check(where(condition, row(3), row(4)), 3);
    check(where(condition.contiguous(), row(3), row(4)), 3);
    check(addcmul(row(2), row(3), row(4)), 14);
    check(addcmul(full({n}, 2, dtype), row(3), row(4)), 14);
    check(row(3) + row(4), 7);
    check(row(5) - full({n}, 2, dtype), 3);
    check(rsub(full({n}, 2, dtype), 5), 3);
    check(row(1).neg().neg(), 1);
  }
}

TEST(Edges, NarrowUniformNumbersStayBelowTheirBound) {
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    manual_seed(1);
    const Tensor x = zeros({1 << 20}, dtype).uniform_(-1e-3, 0);
    EXPECT_FALSE((x == 0).any().item<bool>()) << dtype_info(dtype).python_name;
  }
}

TEST(Edges, DivisorsThatWrapToZero) {
  for (const Device device : {Device("cpu"), Device("cuda")}) {
    const Tensor x = ones({2}, TensorOptions(kByte).device(device));
    EXPECT_THROW(x.remainder(256), Error) << device;
    EXPECT_THROW(
        {
          x.remainder(tensor(256));
          if (device.is_cuda()) cuda::synchronize();
        },
        Error)
        << device;
    EXPECT_TRUE(x.remainder(257).equal(zeros_like(x))) << device;
  }
}

TEST(Edges, NumbersBeyondNarrowDtypes) {
  const Tensor x = full({1, 1}, 1e-3, kHalf);
  EXPECT_NEAR(addmm(x, x, ones({1, 1}, kHalf), 0, 1e5).item<double>(), 100.0625, 1e-9);
  EXPECT_THROW(linspace(0, 1e5, 4, kHalf), Error);
  EXPECT_THROW(linspace(0, 300, 4, kByte), Error);
  EXPECT_THROW(zeros({3}, kByte).index_add(0, tensor({0}), ones({1}, kByte), 300), Error);
}

// The distance of two numbers may leave the range of the dtype; PyTorch answers NaN, infinities or
// zeros then.
TEST(Edges, DistancesBeyondFloatingDtypes) {
  for (const auto& [dtype, scale] : {std::pair(kFloat, 0x1p126), std::pair(kDouble, 0x1p1022)}) {
    EXPECT_TRUE(linspace(-3 * scale, 3 * scale, 9, dtype)
                    .div(scale)
                    .allclose(linspace(-3, 3, 9, dtype), 1e-6, 1e-6))
        << dtype;
    const Tensor x = tensor({-3., 3., -1.5}, dtype), wide = x * scale;
    const Tensor parts = tensor({0.1, 0.3, 0.5, 0.9}, dtype);
    for (const char* const mode : {"linear", "midpoint"}) {
      EXPECT_TRUE(wide.quantile(parts, 0, false, mode)
                      .div(scale)
                      .allclose(x.quantile(parts, 0, false, mode), 1e-6, 1e-6))
          << mode << " in " << dtype;
    }
    EXPECT_TRUE(wide.histc(4).equal(x.histc(4))) << dtype;
  }
}

TEST(Linspace, OfOneStepIsTheStart) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const ScalarType dtype : {kFloat, kDouble}) {
    EXPECT_EQ(linspace(inf, 1, 1, dtype).item<double>(), inf);
    EXPECT_EQ(linspace(-inf, inf, 1, dtype).item<double>(), -inf);
    EXPECT_EQ(linspace(1, inf, 1, dtype).item<double>(), 1);
  }
}

// They are computed in pieces, and each half of linspace from its own end.
TEST(MoreEdges, LongSequences) {
  const std::int64_t n = 300001;
  EXPECT_TRUE(holds_exactly(arange(-5, 3 * n - 5, 3, kShort), (arange(n) * 3 - 5).to(kShort)));
  const Tensor wide = linspace(-7, 1e4, n, kDouble), half = linspace(-7, 1e4, n, kHalf);
  EXPECT_TRUE(holds_exactly(half, wide.to(kHalf)));
  const double step = 10007.0 / static_cast<double>(n - 1);
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{140000}, n / 2, n / 2 + 1, n - 1}) {
    const double expected = i < n / 2 ? -7 + step * static_cast<double>(i)
                                      : 1e4 - step * static_cast<double>(n - 1 - i);
    EXPECT_EQ(wide[i].item<double>(), expected) << i;
  }
}

}  // namespace
}  // namespace tern
