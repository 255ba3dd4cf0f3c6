#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class BatchNormOp : std::int32_t { kForward, kBackward };

/// Normalises each channel of a contiguous [outer, channels, inner] tensor of a floating dtype
/// without empty dimensions.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps).
///   In training, mean and variance (divided by outer * inner) are computed from the input and
///   written; otherwise they are read. weight and bias have one element per channel, or are null
///   (1 and 0).
///   kBackward: reads grad, the gradient of out, and the mean and variance of the forward pass.
///   With x = (in - mean) * rstd and means over the channel,
///   grad_in = rstd * weight * (grad - mean(grad) - x * mean(grad * x)) in training, and
///   grad_in = rstd * weight * grad otherwise. grad_weight is the sum of grad * x over the channel,
///   grad_bias the sum of grad. Each of these three outputs may be null.
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
