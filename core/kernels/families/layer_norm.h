#pragma once

#include <tern/core/kernels/normalize_operands.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class LayerNormOp : std::int32_t { kForward, kBackward };

/// Normalises each row of a contiguous [rows, size] tensor of a floating dtype without empty
/// dimensions.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps); the
///   variance is divided by size. weight and bias have `size` elements, or are null (1 and 0). mean
///   and rstd, when not null, receive one number per row.
///   kBackward: reads grad, the gradient of out, and the mean and rstd of the forward pass. With
///   h = grad * weight, x = (in - mean) * rstd and means over the row,
///   grad_in = rstd * (h - mean(h) - x * mean(h * x)). grad_weight is the sum of grad * x over the
///   rows, grad_bias the sum of grad. Each of these three outputs may be null.
/// With `root_mean_square` (RMSNorm) mean and mean(h) are 0, so that the variance is the mean of
/// the squares. Float results have 1e-5 relative accuracy, even if the mean is large compared to
/// the deviation.
struct LayerNormArgs {
  LayerNormOp op;
  ScalarType dtype;
  std::int32_t root_mean_square;
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
  return normalize_operands(args, args.rows * args.size, args.size, args.rows,
                            "the reciprocal deviations", args.rstd);
}

}  // namespace tern::kernels
