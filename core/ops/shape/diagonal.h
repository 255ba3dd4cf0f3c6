#pragma once

#include <tern/core/tensor/tensor.h>

// Diagonals and triangles of matrices. Diagonal k lies k columns to the right of the main diagonal,
// or -k rows below it.

namespace tern {

/// Returns diagonal `offset` of the matrices in dimensions `dim1` and `dim2` as the last dimension
/// of a view. Throws Error for identical dimensions.
///
/// Shape: [a, b, b] -> [a, b] with dim1 = 1, dim2 = 2
TERN_API Tensor diagonal(const Tensor& self, StrictInt offset = 0, StrictInt dim1 = 0,
                         StrictInt dim2 = 1);
/// Returns a square matrix of zeros with a 1-d tensor on diagonal `diagonal`, or a copy of that
/// diagonal of a matrix. Throws ShapeError for other numbers of dimensions.
TERN_API Tensor diag(const Tensor& self, StrictInt diagonal = 0);
/// Returns matrices of zeros in dimensions `dim1` and `dim2` with the last dimension of the tensor
/// on diagonal `offset`: the reverse of diagonal(). Throws Error for identical dimensions.
///
/// Shape: [a, b] -> [a, b, b]
TERN_API Tensor diag_embed(const Tensor& self, StrictInt offset = 0, StrictInt dim1 = -2,
                           StrictInt dim2 = -1);
/// Returns diag() of the flat tensor: a matrix with all elements on diagonal `offset`.
TERN_API Tensor diagflat(const Tensor& self, StrictInt offset = 0);
/// Sets the main diagonal of this tensor to `value`. With more than two dimensions, they must be of
/// equal size. With `wrap`, the diagonal of a tall matrix starts again below itself, after a row
/// without it. Throws ShapeError for fewer than two dimensions.
TERN_API Tensor& fill_diagonal_(Tensor& self, const Scalar& value, StrictBool wrap = false);
/// Sums the main diagonal of a matrix; integers are summed in int64. Throws ShapeError unless there
/// are two dimensions, NotImplementedError for bool.
TERN_API Tensor trace(const Tensor& self);
/// Returns a copy of the matrices in the last two dimensions with zeros above diagonal `diagonal`.
/// Throws ShapeError for fewer than two dimensions.
TERN_API Tensor tril(const Tensor& self, StrictInt diagonal = 0);
TERN_API Tensor& tril_(Tensor& self, StrictInt diagonal = 0);
/// Returns a copy of the matrices in the last two dimensions with zeros below diagonal `diagonal`.
/// Throws ShapeError for fewer than two dimensions.
TERN_API Tensor triu(const Tensor& self, StrictInt diagonal = 0);
TERN_API Tensor& triu_(Tensor& self, StrictInt diagonal = 0);
/// Returns the rows and the columns of the elements on and below diagonal `offset` of a row x col
/// matrix, row by row; int64 unless the options say int32 or int16. Throws ShapeError for negative
/// sizes.
///
/// Shape: [2, number of elements]
TERN_API Tensor tril_indices(StrictInt row, StrictInt col, StrictInt offset = 0,
                             const TensorOptions& options = kLong);
/// Returns the rows and the columns of the elements on and above diagonal `offset` of a row x col
/// matrix; see tril_indices().
TERN_API Tensor triu_indices(StrictInt row, StrictInt col, StrictInt offset = 0,
                             const TensorOptions& options = kLong);

}  // namespace tern
