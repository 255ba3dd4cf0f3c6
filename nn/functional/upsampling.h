#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/upsampling.h>

namespace tern::nn::functional {

/// Gives the last dimensions of a tensor other sizes; see tern/core/ops/nn/resampling.h for the
/// modes. kArea averages as adaptive_avg_pool2d() does.
///
/// Shape: [N, C, ...] -> [N, C, size], in one to three dimensions; kLinear in one, kBilinear and
/// kBicubic in two, kTrilinear in three
/// Throws: Error and ShapeError when the options do not fit, NotImplementedError for a mode that
/// the number of dimensions does not have.
///
/// Example:
///   F::interpolate(x, F::InterpolateFuncOptions().size({{8, 8}}).mode(kBilinear));
TERN_API Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

}  // namespace tern::nn::functional
