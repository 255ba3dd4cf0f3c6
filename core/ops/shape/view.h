#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that show the same elements in another shape. They copy elements only where it is documented.

namespace tern {

/// Returns the same elements with other sizes; one size may be -1 and is inferred. A view if the
/// strides allow it, otherwise a copy (Tensor::view throws instead). Throws ShapeError when the
/// number of elements differs.
TERN_API Tensor reshape(const Tensor& self, IntArrayRef sizes);
/// Joins the dimensions from `start_dim` to `end_dim`, both included, into one. A view if the
/// strides allow it, otherwise a copy; a 0-d tensor becomes 1-d.
///
/// Shape: [a, b, c] -> [a, b * c] with start_dim = 1
TERN_API Tensor flatten(const Tensor& self, StrictInt start_dim = 0, StrictInt end_dim = -1);
/// Makes the tensor 1-d, as flatten() does.
///
/// Shape: [a, b, c] -> [a * b * c]
TERN_API Tensor ravel(const Tensor& self);
/// Cuts dimension `dim` into dimensions of `sizes`, the reverse of flatten(); one size may be -1
/// and is inferred. A view. Throws ShapeError when the product of the sizes differs from the size
/// of the dimension.
///
/// Shape: [a, 6] -> [a, 2, 3] with dim = 1, sizes = {2, -1}
TERN_API Tensor unflatten(const Tensor& self, StrictInt dim, IntArrayRef sizes);
/// Swaps two dimensions; a view. Throws IndexError for a dimension out of range.
TERN_API Tensor transpose(const Tensor& self, StrictInt dim0, StrictInt dim1);
/// Swaps two dimensions of this tensor itself: it keeps its elements and its memory and gets other
/// sizes and strides. Views of it stay as they are. Counts as a change in place: throws Error for a
/// leaf that requires a gradient.
TERN_API Tensor& transpose_(Tensor& self, StrictInt dim0, StrictInt dim1);
/// Transposes a matrix; a view. Tensors with fewer dimensions stay unchanged. Throws ShapeError for
/// more than two dimensions.
TERN_API Tensor t(const Tensor& self);
/// Transposes this tensor itself; see transpose_().
TERN_API Tensor& t_(Tensor& self);
/// Returns a view whose dimension i is dimension dims[i] of `self`. Throws ShapeError unless `dims`
/// names every dimension once.
TERN_API Tensor permute(const Tensor& self, IntArrayRef dims);
/// Moves each dimension of `source` to the position in `destination`; the others keep their order.
/// A view. Throws Error unless both lists name equally many different dimensions.
///
/// Shape: [a, b, c] -> [b, c, a] with source = 0, destination = 2
TERN_API Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination);
/// Returns slice `index` of dimension `dim` as a view without that dimension. A negative index
/// counts from the end. Throws IndexError out of range.
///
/// Shape: [a, b, c] -> [a, c] with dim = 1
TERN_API Tensor select(const Tensor& self, StrictInt dim, StrictInt index);
/// Returns elements start, start + step, ... below end of dimension `dim` as a view. Negative
/// bounds count from the end; bounds out of range are clipped. Throws Error unless step is
/// positive.
TERN_API Tensor slice(const Tensor& self, StrictInt dim = 0,
                      std::optional<StrictInt> start = std::nullopt,
                      std::optional<StrictInt> end = std::nullopt, StrictInt step = 1);
/// Returns `length` elements from `start` on of dimension `dim` as a view. A negative start counts
/// from the end. Throws IndexError when the range exceeds the dimension.
TERN_API Tensor narrow(const Tensor& self, StrictInt dim, StrictInt start, StrictInt length);
/// Repeats dimensions of size 1 without a copy; -1 keeps a size, and new dimensions may be added in
/// front. Throws ShapeError for any other change.
///
/// Shape: [3, 1] -> [2, 3, 4] with sizes = {2, -1, 4}
TERN_API Tensor expand(const Tensor& self, IntArrayRef sizes);
/// Same as expand().
TERN_API Tensor broadcast_to(const Tensor& self, IntArrayRef sizes);
/// Removes all dimensions of size 1, or those of `dim` that have size 1; a view. Throws Error for a
/// dimension that is listed twice.
TERN_API Tensor squeeze(const Tensor& self);
TERN_API Tensor squeeze(const Tensor& self, IntList dim);
/// Removes dimensions of size 1 from this tensor itself; see transpose_().
TERN_API Tensor& squeeze_(Tensor& self);
TERN_API Tensor& squeeze_(Tensor& self, IntList dim);
/// Returns a view of the whole tensor.
TERN_API Tensor alias(const Tensor& input);
/// Inserts a dimension of size 1 at `dim`; a view. Throws IndexError for a dimension out of range.
///
/// Shape: [a, b] -> [a, 1, b] with dim = 1
TERN_API Tensor unsqueeze(const Tensor& self, StrictInt dim);
/// Inserts a dimension of size 1 into this tensor itself; see transpose_().
TERN_API Tensor& unsqueeze_(Tensor& self, StrictInt dim);
/// Returns the tensor with at least one dimension: a 0-d tensor gets the sizes [1]. Otherwise the
/// result is the tensor itself. A list gives a list.
TERN_API Tensor atleast_1d(const Tensor& input);
TERN_API std::vector<Tensor> atleast_1d(TensorList tensors);
/// Returns the tensor with at least two dimensions, as a view if it has fewer; new dimensions are
/// in front. A list gives a list.
///
/// Shape: [a] -> [1, a]
TERN_API Tensor atleast_2d(const Tensor& input);
TERN_API std::vector<Tensor> atleast_2d(TensorList tensors);
/// Returns the tensor with at least three dimensions, as a view if it has fewer. A list gives a
/// list.
///
/// Shape: [a] -> [1, a, 1], [a, b] -> [a, b, 1]
TERN_API Tensor atleast_3d(const Tensor& input);
TERN_API std::vector<Tensor> atleast_3d(TensorList tensors);
/// Returns a view of the storage with any sizes, strides and offset, in elements; the default
/// offset is that of `self`. Throws ShapeError when the view exceeds the storage.
TERN_API Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                           std::optional<StrictInt> offset = std::nullopt);
/// Gives this tensor itself other sizes, strides and another offset; see as_strided() and
/// transpose_().
TERN_API Tensor& as_strided_(Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                             std::optional<StrictInt> offset = std::nullopt);
/// Returns windows of `size` elements of dimension `dim`, `step` elements apart, as a view. The
/// elements of a window lie in a new last dimension. Throws Error when the size exceeds the
/// dimension or is negative, and when the step is not positive.
///
/// Shape: [a, 7] -> [a, 3, 3] with dim = 1, size = 3, step = 2
TERN_API Tensor unfold(const Tensor& self, StrictInt dim, StrictInt size, StrictInt step);
/// Cuts dimension `dim` into pieces of `split_size` elements, as views; the last piece may be
/// smaller. A list gives the size of each piece, as in split_with_sizes(). All pieces share one
/// node: a recorded in-place change of a piece throws Error, and so does the use of a piece for a
/// gradient after a change of its elements.
TERN_API std::vector<Tensor> split(const Tensor& self, IntList split_size, StrictInt dim = 0);
/// Cuts dimension `dim` into pieces of the given sizes, as views. Throws ShapeError unless they sum
/// to the size of the dimension. In-place changes: see split().
TERN_API std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                              StrictInt dim = 0);
/// Cuts dimension `dim` into at most `chunks` pieces of equal size, as views; the last piece may be
/// smaller. In-place changes: see split().
TERN_API std::vector<Tensor> chunk(const Tensor& self, StrictInt chunks, StrictInt dim = 0);
/// Cuts dimension `dim`, as views: a number gives that many pieces, whose sizes differ by at most 1
/// with the larger ones first; a list gives the indices at which to cut. Both may be an int64
/// tensor on the CPU. Throws Error for a number below 1.
///
/// Example:
///   x.tensor_split(3);       // the sizes of an x of 7 elements are 3, 2, 2
///   x.tensor_split({2, 3});  // x[:2], x[2:3], x[3:]
TERN_API std::vector<Tensor> tensor_split(const Tensor& self, IntList indices_or_sections,
                                          StrictInt dim = 0);
TERN_API std::vector<Tensor> tensor_split(const Tensor& self,
                                          const Tensor& tensor_indices_or_sections,
                                          StrictInt dim = 0);
/// Cuts the columns, as tensor_split() does: dimension 1, or 0 of a 1-d tensor. A number of pieces
/// must divide the size. Throws Error for a 0-d tensor.
TERN_API std::vector<Tensor> hsplit(const Tensor& self, IntList indices_or_sections);
/// Cuts the rows, dimension 0, as tensor_split() does. A number of pieces must divide the size.
/// Throws Error for fewer than two dimensions.
TERN_API std::vector<Tensor> vsplit(const Tensor& self, IntList indices_or_sections);
/// Cuts dimension 2, as tensor_split() does. A number of pieces must divide the size. Throws Error
/// for fewer than three dimensions.
TERN_API std::vector<Tensor> dsplit(const Tensor& self, IntList indices_or_sections);
/// Returns all slices of dimension `dim` as views without that dimension. In-place changes: see
/// split().
TERN_API std::vector<Tensor> unbind(const Tensor& self, StrictInt dim = 0);
/// Sums the dimensions that broadcasting from `sizes` to the current sizes would add or stretch:
/// the adjoint of expand(). Throws ShapeError when `sizes` do not broadcast to the current sizes.
TERN_API Tensor sum_to_size(const Tensor& self, IntArrayRef sizes);

}  // namespace tern
