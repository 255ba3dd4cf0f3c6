#pragma once

#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::nn::utils {

/// Scales all gradients by one factor so that their total norm is at most `max_norm`, and returns
/// the norm before scaling. `norm_type` is the p of the norm; infinity means the largest magnitude.
/// Parameters without a gradient are ignored.
///
/// With `error_if_nonfinite`, throws Error if the norm is NaN or infinite, and changes nothing.
/// During the capture of a CUDA graph the norm is not yet known, and the function returns NaN.
TERN_API double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                                double norm_type = 2.0, StrictBool error_if_nonfinite = false);
TERN_API double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                                StrictBool error_if_nonfinite = false);

/// Limits each element of the gradients to [-clip_value, clip_value].
TERN_API void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
TERN_API void clip_grad_value_(const Tensor& parameter, double clip_value);

}  // namespace tern::nn::utils
