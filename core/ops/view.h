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
/// Transposes a matrix; a view. Tensors with fewer dimensions stay unchanged. Throws ShapeError for
/// more than two dimensions.
TERN_API Tensor t(const Tensor& self);
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
/// from the end. Throws IndexError when the range exceeds the dimension.
TERN_API Tensor narrow(const Tensor& self, StrictInt dim, StrictInt start, StrictInt length);
/// Repeats dimensions of size 1 without a copy; -1 keeps a size, and new dimensions may be added in
/// front. Throws ShapeError for any other change.
///
/// Shape: [3, 1] -> [2, 3, 4] with sizes = {2, -1, 4}
TERN_API Tensor expand(const Tensor& self, IntArrayRef sizes);
/// Removes all dimensions of size 1, or only `dim` if it has size 1; a view.
TERN_API Tensor squeeze(const Tensor& self);
TERN_API Tensor squeeze(const Tensor& self, StrictInt dim);
/// Inserts a dimension of size 1 at `dim`; a view. Throws IndexError for a dimension out of range.
///
/// Shape: [a, b] -> [a, 1, b] with dim = 1
TERN_API Tensor unsqueeze(const Tensor& self, StrictInt dim);
/// Returns a view of the storage with any sizes, strides and offset, in elements; the default
/// offset is that of `self`. Throws ShapeError when the view exceeds the storage.
TERN_API Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                           std::optional<StrictInt> offset = std::nullopt);
/// Cuts dimension `dim` into pieces of `split_size` elements, as views; the last piece may be
/// smaller. All pieces share one node: a recorded in-place change of a piece throws Error, and so
/// does the use of a piece for a gradient after a change of its elements.
TERN_API std::vector<Tensor> split(const Tensor& self, StrictInt split_size, StrictInt dim = 0);
/// Cuts dimension `dim` into at most `chunks` pieces of equal size, as views; the last piece may be
/// smaller. In-place changes: see split().
TERN_API std::vector<Tensor> chunk(const Tensor& self, StrictInt chunks, StrictInt dim = 0);
/// Returns all slices of dimension `dim` as views without that dimension. In-place changes: see
/// split().
TERN_API std::vector<Tensor> unbind(const Tensor& self, StrictInt dim = 0);
/// Sums the dimensions that broadcasting from `sizes` to the current sizes would add or stretch:
/// the adjoint of expand(). Throws ShapeError when `sizes` do not broadcast to the current sizes.
TERN_API Tensor sum_to_size(const Tensor& self, IntArrayRef sizes);

}  // namespace tern
