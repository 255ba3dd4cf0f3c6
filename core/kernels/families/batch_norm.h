#pragma once

#include <tern/core/kernels/normalize_operands.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class BatchNormOp : std::int32_t { kForward, kBackward };

/// Normalises each channel of a contiguous [outer, channels, inner] tensor of a floating dtype
/// without empty dimensions.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps).
///   In training, mean and variance (divided by outer * inner) are computed from the input and
///   written, and out may be null; otherwise they are read. weight and bias have one element per
///   channel, or are null (1 and 0).
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
  return normalize_operands(args, args.outer * args.channels * args.inner, args.channels,
                            args.channels, "the variances", args.variance);
}

}  // namespace tern::kernels
