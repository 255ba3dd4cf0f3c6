#pragma once

#include <algorithm>
#include <memory>

#include <tern/core/kernels/families/elementwise.h>

#include "backends/kernel_test.h"

namespace tern::testing {

/// Returns what the oracle writes to args.out, with the elements between its strides.
template <class T, class Out>
std::unique_ptr<Exact<Out>[]> oracle_of(kernels::ElementwiseArgs args) {
  const auto extent_of = [&](const std::int64_t* strides) {
    std::int64_t last = 0;
    for (int d = 0; d < args.ndim; ++d) last += (args.sizes[d] - 1) * strides[d];
    return static_cast<std::size_t>(last) + 1;
  };
  std::unique_ptr<Exact<T>[]> in[3];
  for (int k = 0; k < args.inputs; ++k) {
    if (args.in[k] == nullptr) continue;
    if (args.op == kernels::ElementwiseOp::where_op && k == 0) continue;  // bools
    const std::size_t n = extent_of(args.in_strides[k]);
    in[k] = std::make_unique<Exact<T>[]>(n);
    std::copy_n(static_cast<const T*>(args.in[k]), n, in[k].get());
    args.in[k] = in[k].get();
  }
  const std::size_t out_count = extent_of(args.out_strides);
  auto out = std::make_unique<Exact<Out>[]>(out_count);
  std::copy_n(static_cast<const Out*>(args.out), out_count, out.get());
  args.out = out.get();
  args.dtype = dtype_of<Exact<T>>();
  args.scale.f = static_cast<double>(static_cast<kernels::MathType<T>>(args.scale.f));
  run_oracle(args);
  return out;
}

/// Returns the allowed error of an op in units in the last place of T.
template <class T>
Number tolerance(kernels::ElementwiseOp op) {
  using enum kernels::ElementwiseAccuracy;
  constexpr Number kOneRounding = 0.51L;
  constexpr bool kIsDouble = std::is_same_v<T, double>;
  if (kNarrow<T>) return kOneRounding;  // computed in float32, and rounded once
  switch (kernels::elementwise_info(op).accuracy) {
    case kRounded:
      return kOneRounding;
    case kEightUlps:
      return 8;
    case kManySteps:
      return kIsDouble ? 32 : 4;
    case kCancels:
      return kIsDouble ? 0x1p20L : 4;
    default:
      return 4;
  }
}

}  // namespace tern::testing
