#pragma once

#include <vector>

#include <tern/core/tensor/tensor.h>

// Dimensions in another order or number; views where it is possible.

namespace tern {

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
/// Moves each dimension of `source` to the position in `destination`; the others keep their order.
/// A view. Throws Error unless both lists name equally many different dimensions.
///
/// Shape: [a, b, c] -> [b, c, a] with source = 0, destination = 2
TERN_API Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination);
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
/// Returns windows of `size` elements of dimension `dim`, `step` elements apart, as a view. The
/// elements of a window lie in a new last dimension. Throws Error when the size exceeds the
/// dimension or is negative, and when the step is not positive.
///
/// Shape: [a, 7] -> [a, 3, 3] with dim = 1, size = 3, step = 2
TERN_API Tensor unfold(const Tensor& self, StrictInt dim, StrictInt size, StrictInt step);

}  // namespace tern
