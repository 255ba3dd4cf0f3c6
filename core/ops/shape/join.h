#pragma once

#include <string_view>
#include <vector>

#include <tern/core/tensor/tensor.h>

// Ops that put several tensors together.

namespace tern {

/// Joins tensors along dimension `dim`. All other sizes must agree; dtypes promote. Throws
/// ShapeError when sizes do not fit, DeviceError for tensors on different devices, Error for no
/// tensor at all.
TERN_API Tensor cat(TensorList tensors, StrictInt dim = 0);
/// Joins tensors of equal sizes along a new dimension at `dim`. Throws ShapeError when sizes
/// differ, Error for no tensor at all.
///
/// Shape: n tensors [a, b] -> [n, a, b] with dim = 0, [a, n, b] with dim = 1
TERN_API Tensor stack(TensorList tensors, StrictInt dim = 0);
/// Joins tensors along their columns: dimension 1, or 0 if the first tensor is 1-d. A 0-d tensor
/// counts as 1-d. See cat().
TERN_API Tensor hstack(TensorList tensors);
/// Joins tensors as rows, along dimension 0, after atleast_2d(). See cat().
TERN_API Tensor vstack(TensorList tensors);
/// Joins tensors along dimension 2, after atleast_3d(). See cat().
TERN_API Tensor dstack(TensorList tensors);
/// Joins tensors along dimension 1; a tensor with fewer than two dimensions is one column. See
/// cat().
TERN_API Tensor column_stack(TensorList tensors);
/// Returns a matrix of zeros with the tensors on its diagonal. They have at most two dimensions: a
/// 1-d tensor is a row, a 0-d tensor one element. Dtypes promote. Throws ShapeError for more
/// dimensions, DeviceError for tensors on different devices.
///
/// Shape: [a, b] and [c, d] -> [a + c, b + d]
TERN_API Tensor block_diag(TensorList tensors);
/// Expands all tensors to their common broadcast size, as views. Throws ShapeError when they do not
/// broadcast.
TERN_API std::vector<Tensor> broadcast_tensors(TensorList tensors);
/// Returns the coordinates of a grid, as views: element [i, j, ..] of result k is element i, j, ..
/// of tensor k, which is 1-d or 0-d. With indexing "xy" the first two dimensions are swapped.
/// Throws ShapeError for more dimensions, DTypeError for different dtypes, Error for another
/// `indexing`.
///
/// Shape: [a], [b] -> [a, b] twice; [b, a] with "xy"
TERN_API std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing = "ij");
/// Returns all tuples with one element of each 1-d tensor as rows, the last element fastest. One
/// tensor is returned as it is. Throws ShapeError for other numbers of dimensions, DTypeError for
/// different dtypes.
///
/// Shape: [a], [b], [c] -> [a * b * c, 3]
TERN_API Tensor cartesian_prod(TensorList tensors);

}  // namespace tern
