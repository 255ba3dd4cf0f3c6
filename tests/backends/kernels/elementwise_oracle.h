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
  using enum kernels::ElementwiseOp;
  constexpr Number kRounding = 0.51L;
  if (kNarrow<T>) return kRounding;  // computed in float32, and rounded once
  switch (op) {
    case exp:
    case expm1:
    case log:
    case log1p:
    case sin:
    case cos:
    case tanh:
    case sigmoid:
    case pow:
    case rsqrt:
    case bce_backward:
    case huber:
    case smooth_l1:
    case huber_backward:
    case div_floor:
    case atan2:
    case hypot:
    case logaddexp:
    case logaddexp2:
    case xlogy:
    case xlog1py:
    case ldexp:
    case addcdiv:
    case tan:
    case asin:
    case acos:
    case atan:
    case sinh:
    case cosh:
    case asinh:
    case acosh:
    case atanh:
    case exp2:
    case log2:
    case log10:
    case erf:
    case erfc:
    case erfinv:
    case sinc:
    case logit:
    case hardsigmoid:
    case hardswish:
    case silu:
    case gelu:
    case gelu_tanh:
    case log_sigmoid:
    case elu:
      return 4;
    case entr:
    case erfcx:
    case log_ndtr:
    case ndtri:
      return std::is_same_v<T, double> ? 32 : 4;
    case lgamma:
    case digamma:
    case polygamma:  // terms of double cancel out
    case zeta:
      return std::is_same_v<T, double> ? 0x1p20L : 4;
    case bce:
    case bce_logits:
    case mish:
      return 8;
    default:
      return kRounding;
  }
}

}  // namespace tern::testing
