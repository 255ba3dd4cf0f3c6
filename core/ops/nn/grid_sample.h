#pragma once

#include <tern/core/tensor/tensor.h>

// Samples of a tensor at the points of a grid.

namespace tern {

/// Reads an input at the points of a grid. The coordinates, x first, are -1 and 1 at the borders of
/// the input, or, with align_corners, at the centers of its outermost elements. interpolation_mode
/// 0 is bilinear, 1 nearest, 2 bicubic. padding_mode is what lies around the input: 0 zeros, 1 the
/// border, 2 the input reflected. Floating dtypes.
///
/// Shape: input [N, C, H, W], grid [N, h, w, 2] -> [N, C, h, w]; or input [N, C, D, H, W], grid [N,
/// d, h, w, 3] -> [N, C, d, h, w], without bicubic
/// Throws: ShapeError and DTypeError when the arguments do not fit.
TERN_API Tensor grid_sampler(const Tensor& input, const Tensor& grid, StrictInt interpolation_mode,
                             StrictInt padding_mode, StrictBool align_corners);
/// Returns the points of a regular grid for grid_sampler(), moved by affine maps `theta`. `size` is
/// that of the result of grid_sampler().
///
/// Shape: theta [N, 2, 3], size [N, C, H, W] -> [N, H, W, 2]; or theta [N, 3, 4], size [N, C, D, H,
/// W] -> [N, D, H, W, 3]
/// Throws: ShapeError when the arguments do not fit.
TERN_API Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size,
                                      StrictBool align_corners);

}  // namespace tern
