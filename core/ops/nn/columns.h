#pragma once

#include <tern/core/tensor/tensor.h>

// Windows of a tensor as columns, and back.

namespace tern {

/// Returns blocks of an image as columns: those of the size kernel_size, whose elements are
/// `dilation` apart, at all positions that are `stride` apart in the image with `padding` zeros
/// around it. Each list holds a number for the height and one for the width. Floating dtypes and
/// bool.
///
/// Shape: [N, C, H, W] -> [N, C * kernel_size[0] * kernel_size[1], blocks], or both without N
/// Throws: ShapeError when the sizes do not fit.
TERN_API Tensor im2col(const Tensor& input, IntArrayRef kernel_size, IntArrayRef dilation,
                       IntArrayRef padding, IntArrayRef stride);
/// Sums blocks, the columns that im2col() returns, into an image of output_size: the adjoint of
/// im2col().
///
/// Shape: [N, C * kernel_size[0] * kernel_size[1], blocks] -> [N, C, output_size], or both without
/// N Throws: ShapeError when the sizes do not fit.
TERN_API Tensor col2im(const Tensor& input, IntArrayRef output_size, IntArrayRef kernel_size,
                       IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride);

}  // namespace tern
