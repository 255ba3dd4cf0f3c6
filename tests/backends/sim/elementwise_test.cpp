#include <cmath>
#include <limits>

#include <tern/core/kernels/families/elementwise.h>

#include "backends/cuda/simulated.h"

namespace tern::sim {
namespace {

using kernels::ElementwiseOp;
using tern::testing::DeviceArray;
using tern::testing::launch;
using tern::testing::upload;
using tern::testing::Values;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
kernels::ElementwiseArgs contiguous_args(ElementwiseOp op, std::size_t count, void* out) {
  kernels::ElementwiseArgs args{};
  args.op = op;
  args.dtype = dtype_of<T>();
  args.inputs = kernels::elementwise_info(op).inputs;
  args.ndim = 1;
  args.sizes[0] = static_cast<std::int64_t>(count);
  args.out = out;
  args.out_strides[0] = 1;
  for (auto& strides : args.in_strides) strides[0] = 1;
  args.scale = {1, 1};
  return args;
}

// Applies an op to arrays of equal length; comparisons come back as bool.
template <class T, class Out = T, class First = T>
Values<Out> apply(ElementwiseOp op, const Values<First>& a, const Values<T>& b = {},
                  const Values<T>& c = {}, double scale = 1) {
  const DeviceArray<First> da(a);
  const DeviceArray<T> db(b.empty() ? Values<T>(a.size()) : b);
  const DeviceArray<T> dc(c.empty() ? Values<T>(a.size()) : c);
  const DeviceArray<Out> out((Values<Out>(a.size())));
  auto args = contiguous_args<T>(op, a.size(), out.data());
  args.in[0] = da.data();
  args.in[1] = db.data();
  args.in[2] = dc.data();
  args.scale = {scale, static_cast<std::int64_t>(scale)};
  EXPECT_EQ(launch(args).status, kernels::StatusCode::kOk);
  return out.read();
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_DOUBLE_EQ(got[i], wanted[i]) << i;
    }
  }
}

using D = std::vector<double>;
using B = std::vector<std::uint8_t>;
using L = std::vector<std::int64_t>;
using Op = ElementwiseOp;

TEST(SimElementwise, UnaryOps) {
  expect_near(apply<double>(Op::neg, D{1, -0.5}), {-1, 0.5});
  expect_near(apply<double>(Op::abs, D{-1, 2, kNaN}), {1, 2, kNaN});
  expect_near(apply<double>(Op::sign, D{-3, 0, 5, kNaN}), {-1, 0, 1, 0});
  expect_near(apply<double>(Op::square, D{-3}), {9});
  expect_near(apply<double>(Op::relu, D{-1, 2, kNaN}), {0, 2, kNaN});
  EXPECT_TRUE(std::signbit(apply<double>(Op::relu, D{-0.0})[0]));
  expect_near(apply<double>(Op::floor, D{-1.5}), {-2});
  expect_near(apply<double>(Op::ceil, D{-1.5}), {-1});
  expect_near(apply<double>(Op::round, D{0.5, 1.5, -2.5}), {0, 2, -2});
  expect_near(apply<double>(Op::trunc, D{-1.7}), {-1});
  expect_near(apply<double>(Op::exp, D{0, 1}), {1, 2.718281828459045});
  expect_near(apply<double>(Op::expm1, D{1e-10}), {1.00000000005e-10});
  expect_near(apply<double>(Op::log, D{1, 0, -1}), {0, -kInf, kNaN});
  expect_near(apply<double>(Op::log1p, D{1e-10}), {9.9999999995e-11});
  expect_near(apply<double>(Op::sqrt, D{9, -1}), {3, kNaN});
  expect_near(apply<double>(Op::rsqrt, D{4}), {0.5});
  expect_near(apply<double>(Op::reciprocal, D{4, 0}), {0.25, kInf});
  expect_near(apply<double>(Op::sin, D{0.5}), {0.479425538604203});
  expect_near(apply<double>(Op::cos, D{0.5}), {0.8775825618903728});
  expect_near(apply<double>(Op::tanh, D{0.5}), {0.46211715726000976});
  expect_near(apply<double>(Op::sigmoid, D{0, -1000}), {0.5, 0});
}

TEST(SimElementwise, BinaryOps) {
  expect_near(apply<double>(Op::add, D{1}, D{2}, {}, 3), {7});
  expect_near(apply<double>(Op::sub, D{1}, D{2}, {}, 3), {-5});
  expect_near(apply<double>(Op::mul, D{2}, D{-3}), {-6});
  expect_near(apply<double>(Op::div, D{1, 1, 0}, D{4, 0, 0}), {0.25, kInf, kNaN});
  expect_near(apply<double>(Op::pow, D{2, 0, -8}, D{3, 0, 1.0 / 3}), {8, 1, kNaN});
  expect_near(apply<double>(Op::maximum, D{1, kNaN, 1}, D{2, 1, kNaN}), {2, kNaN, kNaN});
  expect_near(apply<double>(Op::minimum, D{1, kNaN, 1}, D{2, 1, kNaN}), {1, kNaN, kNaN});
  expect_near(
      apply<double>(Op::remainder, D{7, 7, -7, -7, 5, -5, 1}, D{2, -2, 2, -2, kInf, kInf, 0}),
      {1, -1, 1, -1, 5, kInf, kNaN});
}

TEST(SimElementwise, GradientsAndLosses) {
  expect_near(apply<double>(Op::relu_backward, D{5, 5, 5}, D{1, 0, kNaN}), {5, 0, 5});
  expect_near(apply<double>(Op::sigmoid_backward, D{2}, D{0.25}), {0.375});
  expect_near(apply<double>(Op::tanh_backward, D{2}, D{0.5}), {1.5});
  expect_near(apply<double>(Op::bce, D{0.5, 0, 0}, D{1, 1, 0}), {std::log(2.0), 100, 0});
  expect_near(apply<double>(Op::bce_backward, D{0.5, 0}, D{1, 1}, D{1, 1}), {-2, -1e12});
  expect_near(apply<double>(Op::bce_logits, D{0, 100, -100}, D{1, 0, 1}),
              {std::log(2.0), 100, 100});
}

TEST(SimElementwise, TernaryOps) {
  expect_near(apply<double, double, bool>(Op::where_op, B{1, 0}, D{1, 2}, D{3, kNaN}), {1, kNaN});
  expect_near(apply<double>(Op::clamp, D{-5, 5, 1, kNaN, 1}, D{0, 0, 0, 0, 4}, D{2, 2, 2, 2, 3}),
              {0, 2, 1, kNaN, 3});
  expect_near(apply<double>(Op::addcmul, D{1}, D{2}, D{3}, 0.5), {4});
}

TEST(SimElementwise, ComparisonsGiveBool) {
  const D a = {1, 2, kNaN}, b = {2, 2, 1};
  EXPECT_EQ((apply<double, bool>(Op::eq, a, b)), (B{0, 1, 0}));
  EXPECT_EQ((apply<double, bool>(Op::ne, a, b)), (B{1, 0, 1}));
  EXPECT_EQ((apply<double, bool>(Op::lt, a, b)), (B{1, 0, 0}));
  EXPECT_EQ((apply<double, bool>(Op::le, a, b)), (B{1, 1, 0}));
  EXPECT_EQ((apply<double, bool>(Op::gt, a, b)), (B{0, 0, 0}));
  EXPECT_EQ((apply<double, bool>(Op::ge, a, b)), (B{0, 1, 0}));
  EXPECT_EQ((apply<double, bool>(Op::logical_not, D{0, 2, kNaN})), (B{1, 0, 0}));
  EXPECT_EQ((apply<double, bool>(Op::isnan, D{0, kInf, kNaN})), (B{0, 0, 1}));
  EXPECT_EQ((apply<double, bool>(Op::isinf, D{0, -kInf, kNaN})), (B{0, 1, 0}));
  EXPECT_EQ((apply<bool, bool>(Op::logical_and, B{0, 1, 1}, B{1, 0, 1})), (B{0, 0, 1}));
  EXPECT_EQ((apply<bool, bool>(Op::logical_or, B{0, 1, 0}, B{1, 0, 0})), (B{1, 1, 0}));
  EXPECT_EQ((apply<bool, bool>(Op::logical_xor, B{1, 1, 0}, B{1, 0, 0})), (B{0, 1, 0}));
}

TEST(SimElementwise, IntegersAreExactAndWrap) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(apply<std::int64_t>(Op::add, L{kMax, kMax - 1}, L{1, 1}), (L{kMin, kMax}));
  EXPECT_EQ(apply<std::int64_t>(Op::neg, L{kMin}), (L{kMin}));
  EXPECT_EQ(apply<std::int64_t>(Op::floor, L{7}), (L{7}));
  EXPECT_EQ(apply<std::int64_t>(Op::pow, L{3, 2, 1, -1, -1}, L{4, -1, -1, -1, -2}),
            (L{81, 0, 1, -1, 1}));
  EXPECT_EQ(apply<std::int64_t>(Op::remainder, L{7, -7, kMin}, L{-2, 2, -1}), (L{-1, 1, 0}));
}

TEST(SimElementwise, BitwiseOpsOfIntegers) {
  EXPECT_EQ(apply<std::int64_t>(Op::bitwise_not, L{6, -1}), (L{-7, 0}));
  EXPECT_EQ(apply<std::int64_t>(Op::bitwise_and, L{6, -1}, L{3, 8}), (L{2, 8}));
  EXPECT_EQ(apply<std::int64_t>(Op::bitwise_or, L{6, -8}, L{3, 1}), (L{7, -7}));
  EXPECT_EQ(apply<std::int64_t>(Op::bitwise_xor, L{6, -1}, L{3, 1}), (L{5, -2}));
}

TEST(SimElementwise, BoolsAddAsOrAndMultiplyAsAnd) {
  EXPECT_EQ(apply<bool>(Op::add, B{1, 1, 0}, B{1, 0, 0}), (B{1, 1, 0}));
  EXPECT_EQ(apply<bool>(Op::mul, B{1, 1, 0}, B{1, 0, 0}), (B{1, 0, 0}));
}

TEST(SimElementwise, RoundsFloatsOnceAtTheEnd) {
  const std::vector<float> sum = apply<float>(Op::add, {0.1f}, {0.2f});
  EXPECT_EQ(sum[0], 0.1f + 0.2f);
  EXPECT_EQ(apply<float>(Op::exp, {89.0f})[0], std::numeric_limits<float>::infinity());
}

TEST(SimElementwise, BroadcastsStridesAndImmediates) {
  const auto row = upload<float>({10, 20});
  const DeviceArray<float> out(6, 0.0f);
  auto args = contiguous_args<float>(Op::add, 0, out.data());  // out [3, 2] = row [2] + 0.5
  args.ndim = 2;
  args.sizes[0] = 3;
  args.sizes[1] = 2;
  args.out_strides[0] = 1;  // transposed
  args.out_strides[1] = 3;
  args.in[0] = row.data();
  args.in_strides[0][0] = 0;
  args.in_strides[0][1] = 1;
  args.immediate[1] = {0.5, 0};
  launch(args);
  EXPECT_EQ(out.read(), (std::vector<float>{10.5, 10.5, 10.5, 20.5, 20.5, 20.5}));
}

TEST(SimElementwise, ZeroDimensionsAreOneElement) {
  const auto a = upload<float>({3}), out = upload<float>({0});
  auto args = contiguous_args<float>(Op::square, 1, out.data());
  args.ndim = 0;
  args.in[0] = a.data();
  launch(args);
  EXPECT_EQ(out.read()[0], 9.0f);
}

TEST(SimElementwise, RefusesDtypesByTheTable) {
  const auto out = upload<std::int64_t>({0});
  for (Op op : {Op::exp, Op::div, Op::bce}) {
    const auto args = contiguous_args<std::int64_t>(op, 1, out.data());
    EXPECT_EQ(launch(args).status, kernels::StatusCode::kUnsupportedDtype);
  }
  for (Op op : {Op::bitwise_not, Op::bitwise_xor}) {
    const auto args = contiguous_args<double>(op, 1, out.data());
    EXPECT_EQ(launch(args).status, kernels::StatusCode::kUnsupportedDtype);
  }
  const auto args = contiguous_args<bool>(Op::sub, 1, out.data());
  EXPECT_EQ(launch(args).status, kernels::StatusCode::kUnsupportedDtype);
}

}  // namespace
}  // namespace tern::sim
