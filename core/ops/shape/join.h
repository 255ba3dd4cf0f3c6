#pragma once

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

}  // namespace tern
