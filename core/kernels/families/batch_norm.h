#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class BatchNormOp : std::int32_t { kForward, kBackward };

/// Normalisation of each channel of a contiguous [outer, channels, inner], floating dtypes, none of
/// them empty.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps); in
///   training mean and variance (divided by outer * inner) are those of the input and are written,
///   else they are read. weight and bias have one element per channel, or are null (1 and 0).
///   kBackward: from grad, that of the forward's out, and its mean and variance: with x = (in -
///   mean) * rstd and means over the channel, grad_in = rstd * weight * (grad - mean(grad) -
///   x * mean(grad * x)) in training, else rstd * weight * grad; summed over the channel,
///   grad_weight = grad * x and grad_bias = grad. Each of the three may be null.
struct BatchNormArgs {
  BatchNormOp op;
  ScalarType dtype;
  std::int32_t training;
  std::int64_t outer, channels, inner;
  double eps;
  const void* in;
  const void* weight;
  const void* bias;
  void* out;
  double* mean;  // float64 for every dtype
  double* variance;
  const void* grad;
  void* grad_in;
  void* grad_weight;
  void* grad_bias;
};

TERN_KERNEL_SLOT(batch_norm, BatchNormArgs)

inline Operands operands(BatchNormArgs& args) {
  const std::int64_t count = args.outer * args.channels * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the weight", args.weight, args.dtype, args.channels)
      .add("the bias", args.bias, args.dtype, args.channels)
      .add("the output", args.out, args.dtype, count)
      .add("the means", args.mean, kDouble, args.channels)
      .add("the variances", args.variance, kDouble, args.channels)
      .add("the gradient", args.grad, args.dtype, count)
      .add("the input's gradient", args.grad_in, args.dtype, count)
      .add("the weight's gradient", args.grad_weight, args.dtype, args.channels)
      .add("the bias's gradient", args.grad_bias, args.dtype, args.channels);
}

}  // namespace tern::kernels
