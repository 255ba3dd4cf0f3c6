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
/// from the end; a tensor as start holds one integer. Throws IndexError when the range exceeds the
/// dimension.
TERN_API Tensor narrow(const Tensor& self, StrictInt dim, StrictInt start, StrictInt length);
TERN_API Tensor narrow(const Tensor& self, StrictInt dim, const Tensor& start, StrictInt length);
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
TERN_API Tensor alias(const Tensor& self);
/// Inserts a dimension of size 1 at `dim`; a view. Throws IndexError for a dimension out of range.
///
/// Shape: [a, b] -> [a, 1, b] with dim = 1
TERN_API Tensor unsqueeze(const Tensor& self, StrictInt dim);
/// Inserts a dimension of size 1 into this tensor itself; see transpose_().
TERN_API Tensor& unsqueeze_(Tensor& self, StrictInt dim);
/// Sums the dimensions that broadcasting from `sizes` to the current sizes would add or stretch:
/// the adjoint of expand(). Throws ShapeError when `sizes` do not broadcast to the current sizes.
TERN_API Tensor sum_to_size(const Tensor& self, IntArrayRef sizes);

}  // namespace tern
