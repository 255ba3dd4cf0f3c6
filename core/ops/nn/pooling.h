#pragma once

#include <tern/core/tensor/tensor.h>

// Pooling: ops that reduce windows of the last one, two or three dimensions to one element each.
// The windows are kernel_size elements wide and begin `stride` elements apart (kernel_size by
// default), in an input with `padding` on both sides; one number stands for all dimensions. With
// ceil_mode the last window may reach beyond the padding. All ops throw ShapeError for numbers that
// do not fit, and NotImplementedError for a dtype that PyTorch does not pool.
//
// Shape: [N, C, L] -> [N, C, (L + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1],
// and so on for [N, C, H, W] and [N, C, D, H, W]; N may be missing

namespace tern {

/// Returns the largest element of each window, whose elements are `dilation` apart. Padding never
/// wins, and NaN does. The gradient goes to the first of equal elements. Floating dtypes.
///
/// Shape: [N, C, L] -> [N, C, windows]; N may be missing
TERN_API Tensor max_pool1d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                           IntArrayRef padding = 0, IntArrayRef dilation = 1,
                           StrictBool ceil_mode = false);
/// Does the same with windows of two dimensions. Every dtype but bool.
///
/// Shape: [N, C, H, W] -> [N, C, rows of windows, windows in a row]; N may be missing
/// Example:
///   tern::max_pool2d(tern::rand({1, 3, 8, 8}), 2).sizes();  // [1, 3, 4, 4]
TERN_API Tensor max_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                           IntArrayRef padding = 0, IntArrayRef dilation = 1,
                           StrictBool ceil_mode = false);
/// Does the same with windows of three dimensions. Every dtype but bool.
///
/// Shape: [N, C, D, H, W] -> [N, C, ...]; N may be missing
TERN_API Tensor max_pool3d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                           IntArrayRef padding = 0, IntArrayRef dilation = 1,
                           StrictBool ceil_mode = false);
/// Returns max_pool1d() and the int64 position of each result among the elements of its channel:
/// that of the first of equal elements, or of the last NaN.
TERN_API std::tuple<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0,
    IntArrayRef dilation = 1, StrictBool ceil_mode = false);
/// Returns max_pool2d() and the positions, y * W + x.
TERN_API std::tuple<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0,
    IntArrayRef dilation = 1, StrictBool ceil_mode = false);
/// Returns max_pool3d() and the positions, (z * H + y) * W + x.
TERN_API std::tuple<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {}, IntArrayRef padding = 0,
    IntArrayRef dilation = 1, StrictBool ceil_mode = false);

/// Returns the average of each window. With count_include_pad the padding counts as zeros.
/// Floating dtypes and int64, which rounds towards zero.
///
/// Shape: [N, C, L] -> [N, C, windows]; N may be missing
TERN_API Tensor avg_pool1d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                           IntArrayRef padding = 0, StrictBool ceil_mode = false,
                           StrictBool count_include_pad = true);
/// Does the same with windows of two dimensions. The sums are divided by divisor_override if that
/// is given.
///
/// Shape: [N, C, H, W] -> [N, C, rows of windows, windows in a row]; N may be missing
TERN_API Tensor avg_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                           IntArrayRef padding = 0, StrictBool ceil_mode = false,
                           StrictBool count_include_pad = true,
                           std::optional<StrictInt> divisor_override = std::nullopt);
/// Does the same with windows of three dimensions.
///
/// Shape: [N, C, D, H, W] -> [N, C, ...]; N may be missing
TERN_API Tensor avg_pool3d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                           IntArrayRef padding = 0, StrictBool ceil_mode = false,
                           StrictBool count_include_pad = true,
                           std::optional<StrictInt> divisor_override = std::nullopt);

}  // namespace tern
