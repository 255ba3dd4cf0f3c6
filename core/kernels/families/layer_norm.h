#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class LayerNormOp : std::int32_t { kForward, kBackward };

/// Normalisation of each row of a contiguous [rows, size], floating dtypes, none of them empty.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps), the
///   variance divided by size; weight and bias have `size` elements, or are null (1 and 0). mean
///   and rstd, when not null, get one number per row.
///   kBackward: from grad, that of the forward's out, and what the forward left: with h = grad *
///   weight, x = (in - mean) * rstd and means over the row,
///   grad_in = rstd * (h - mean(h) - x * mean(h * x)); summed over the rows, grad_weight = grad * x
///   and grad_bias = grad. Each of the three may be null.
/// Float results keep 1e-5 relative accuracy also where the mean is large beside the deviation.
struct LayerNormArgs {
  LayerNormOp op;
  ScalarType dtype;
  std::int64_t rows, size;
  double eps;
  const void* in;
  const void* weight;
  const void* bias;
  void* out;
  double* mean;  // float64 for every dtype
  double* rstd;
  const void* grad;
  void* grad_in;
  void* grad_weight;
  void* grad_bias;
};

TERN_KERNEL_SLOT(layer_norm, LayerNormArgs)

inline Operands operands(LayerNormArgs& args) {
  const std::int64_t count = args.rows * args.size;
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the weight", args.weight, args.dtype, args.size)
      .add("the bias", args.bias, args.dtype, args.size)
      .add("the output", args.out, args.dtype, count)
      .add("the means", args.mean, kDouble, args.rows)
      .add("the reciprocal deviations", args.rstd, kDouble, args.rows)
      .add("the gradient", args.grad, args.dtype, count)
      .add("the input's gradient", args.grad_in, args.dtype, count)
      .add("the weight's gradient", args.grad_weight, args.dtype, args.size)
      .add("the bias's gradient", args.grad_bias, args.dtype, args.size);
}

}  // namespace tern::kernels
