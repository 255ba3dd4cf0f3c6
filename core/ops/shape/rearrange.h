#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that copy elements to other positions.

namespace tern {

/// Returns a copy with the order of the elements reversed along each dimension of `dims`. Throws
/// Error for a dimension that is listed twice.
///
/// Example:
///   tern::tensor({1, 2, 3}).flip(0);  // tensor([3, 2, 1])
TERN_API Tensor flip(const Tensor& self, IntArrayRef dims);
/// Reverses the columns, dimension 1; see flip(). Throws ShapeError for fewer than two dimensions.
TERN_API Tensor fliplr(const Tensor& self);
/// Reverses the rows, dimension 0; see flip(). Throws ShapeError for a 0-d tensor.
TERN_API Tensor flipud(const Tensor& self);
/// Returns a copy turned by k * 90 degrees in the plane of two dimensions, from the first towards
/// the second. Throws Error unless `dims` names two different dimensions.
///
/// Example:
///   tern::tensor({{1, 2}, {3, 4}}).rot90();  // tensor([[2, 4], [1, 3]])
TERN_API Tensor rot90(const Tensor& self, StrictInt k = 1, IntArrayRef dims = {0, 1});
/// Returns a copy with the elements moved by `shifts` along `dims`; elements that leave at the end
/// come in at the start. Without `dims`, the tensor is moved as if it were flat. Throws Error
/// unless both lists have one length.
///
/// Example:
///   tern::tensor({1, 2, 3}).roll(1);  // tensor([3, 1, 2])
TERN_API Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims = {});
/// Returns a copy that holds the tensor repeats[i] times along dimension i; there may be more
/// repeats than dimensions, for new dimensions in front. Throws ShapeError for fewer, and for a
/// negative number.
///
/// Shape: [a, b] -> [2, a, 3 * b] with repeats = {2, 1, 3}
TERN_API Tensor repeat(const Tensor& self, IntArrayRef repeats);
/// Does the same as repeat(), with ones in front of a shorter list.
TERN_API Tensor tile(const Tensor& self, IntArrayRef dims);
/// Returns a copy with each slice of dimension `dim` repeated in place, or each element of the flat
/// tensor without `dim`. `repeats` is one number, or an integer tensor with one number per slice.
/// `output_size`, if given, must be the resulting size of the dimension. Throws Error for negative
/// numbers and when sizes do not fit. A tensor `repeats` on a GPU is read by the host.
///
/// Example:
///   tern::tensor({1, 2}).repeat_interleave(2);  // tensor([1, 1, 2, 2])
TERN_API Tensor repeat_interleave(const Tensor& self, StrictInt repeats,
                                  std::optional<StrictInt> dim = std::nullopt,
                                  std::optional<StrictInt> output_size = std::nullopt);
TERN_API Tensor repeat_interleave(const Tensor& self, const Tensor& repeats,
                                  std::optional<StrictInt> dim = std::nullopt,
                                  std::optional<StrictInt> output_size = std::nullopt);
/// Returns index i repeats[i] times, for each i, as a 1-d int64 tensor. Throws Error unless
/// `repeats` is a 1-d tensor of int32 or int64 without negative numbers.
///
/// Example:
///   repeat_interleave(tern::tensor({1, 0, 2}));  // tensor([0, 2, 2])
TERN_API Tensor repeat_interleave(const Tensor& repeats);

/// Returns a copy in which `src` replaces slice `index` of dimension `dim`; see select(). Throws
/// ShapeError when the sizes differ.
TERN_API Tensor select_scatter(const Tensor& self, const Tensor& src, StrictInt dim,
                               StrictInt index);
/// Returns a copy in which `src` replaces a part of dimension `dim`; see slice(). Throws ShapeError
/// when the sizes differ.
TERN_API Tensor slice_scatter(const Tensor& self, const Tensor& src, StrictInt dim = 0,
                              std::optional<StrictInt> start = std::nullopt,
                              std::optional<StrictInt> end = std::nullopt, StrictInt step = 1);
/// Returns a copy in which `src` replaces a diagonal; see diagonal(). Throws ShapeError when the
/// sizes differ.
TERN_API Tensor diagonal_scatter(const Tensor& self, const Tensor& src, StrictInt offset = 0,
                                 StrictInt dim1 = 0, StrictInt dim2 = 1);
/// Returns a copy in which `src` replaces the elements that as_strided() would show. Copies the
/// whole storage. Throws ShapeError when the sizes differ or exceed the storage, and Error when
/// elements of the view overlap.
TERN_API Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef sizes,
                                   IntArrayRef strides,
                                   std::optional<StrictInt> offset = std::nullopt);

/// Moves elements from the channels into the last two dimensions, which grow by the factor. Throws
/// Error when the square of the factor does not divide the channels.
///
/// Shape: [.., c * r * r, h, w] -> [.., c, h * r, w * r] with upscale_factor = r
TERN_API Tensor pixel_shuffle(const Tensor& input, StrictInt upscale_factor);
/// Reverses pixel_shuffle(). Throws Error when the factor does not divide the last two dimensions.
///
/// Shape: [.., c, h * r, w * r] -> [.., c * r * r, h, w] with downscale_factor = r
TERN_API Tensor pixel_unshuffle(const Tensor& input, StrictInt downscale_factor);
/// Cuts dimension 1, the channels, into groups and takes one channel of each group in turn. Throws
/// Error unless `groups` divides the channels.
TERN_API Tensor channel_shuffle(const Tensor& input, StrictInt groups);
/// Returns a copy with elements of `value` added before and after the elements of the last
/// dimensions: `pad` holds two numbers for each dimension, the last dimension first. Negative
/// numbers remove elements. Throws ShapeError for an odd or too long list and for negative results.
///
/// Shape: [a, b] -> [3 + a + 4, 1 + b + 2] with pad = {1, 2, 3, 4}
TERN_API Tensor constant_pad_nd(const Tensor& input, IntArrayRef pad, const Scalar& value = 0);
/// Adds elements before and after the elements of the last dimensions, as constant_pad_nd() does.
/// The new elements are those of `mode`: "constant" takes `value` (0 by default), "reflect" goes
/// back from the border without repeating it, "replicate" repeats the border, and "circular" goes
/// on at the other end. Negative numbers remove elements: before "circular" pads, after the other
/// modes do. Modes other than "constant" pad the last one, two or three of at most that many
/// dimensions and one or two in front. Throws ShapeError when the numbers do not fit,
/// NotImplementedError for another mode or number of dimensions.
///
/// Shape: [a, b] -> [a, 1 + b + 2] with pad = {1, 2}
TERN_API Tensor pad(const Tensor& input, IntArrayRef pad, std::string_view mode = "constant",
                    std::optional<double> value = std::nullopt);
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
/// Returns all choices of r elements of a 1-d tensor as rows, in the order of their indices. With
/// `with_replacement` an element may be chosen several times. Throws ShapeError for other numbers
/// of dimensions and for too many choices, Error for a negative r.
///
/// Shape: [n] -> [n! / (r! * (n - r)!), r]
TERN_API Tensor combinations(const Tensor& input, StrictInt r = 2,
                             StrictBool with_replacement = false);

}  // namespace tern
