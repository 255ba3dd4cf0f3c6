#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/vision.h>

namespace tern::nn::functional {

/// Reads the input at the points of a grid; see tern::grid_sampler(). Throws Error for another mode
/// than kBilinear, kNearest and kBicubic.
TERN_API Tensor grid_sample(const Tensor& input, const Tensor& grid,
                            const GridSampleFuncOptions& options = {});
/// Returns the points of a regular grid, moved by affine maps; see tern::affine_grid_generator().
TERN_API Tensor affine_grid(const Tensor& theta, IntArrayRef size,
                            StrictBool align_corners = false);

}  // namespace tern::nn::functional
