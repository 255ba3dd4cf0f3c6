#pragma once

#include <string_view>
#include <vector>

#include <tern/core/tensor/tensor.h>

// Tensors put together as blocks and grids.

namespace tern {

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
