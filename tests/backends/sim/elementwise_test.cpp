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

// What PyTorch's values in the records of tests/ops do not show.

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

// Applies an op to arrays of equal length.
template <class T>
Values<T> apply(ElementwiseOp op, const Values<T>& a, const Values<T>& b = {}) {
  const DeviceArray<T> first(a), second(b.empty() ? a : b), out((Values<T>(a.size())));
  auto args = contiguous_args<T>(op, a.size(), out.data());
  args.in[0] = first.data();
  args.in[1] = second.data();
  EXPECT_EQ(launch(args).status, kernels::StatusCode::kOk);
  return out.read();
}

using D = std::vector<double>;
using L = std::vector<std::int64_t>;
using Op = ElementwiseOp;

TEST(SimElementwise, ReluKeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(apply<double>(Op::relu, D{-0.0})[0]));
}

TEST(SimElementwise, IntegersAreExactAndWrap) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(apply<std::int64_t>(Op::add, L{kMost, kMost - 1}, L{1, 1}), (L{kMin, kMost}));
  EXPECT_EQ(apply<std::int64_t>(Op::neg, L{kMin}), (L{kMin}));
  EXPECT_EQ(apply<std::int64_t>(Op::floor, L{7}), (L{7}));
  EXPECT_EQ(apply<std::int64_t>(Op::pow, L{3, 2, 1, -1, -1}, L{4, -1, -1, -1, -2}),
            (L{81, 0, 1, -1, 1}));
  EXPECT_EQ(apply<std::int64_t>(Op::remainder, L{7, -7, kMin}, L{-2, 2, -1}), (L{-1, 1, 0}));
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
