#pragma once

#include <tern/core/tensor/tensor.h>

// Products of many matrices.

namespace tern {

/// Returns the product of two or more matrices in the order that needs the fewest multiplications.
/// The first may be a row vector, the last a column vector. Throws Error for fewer than two.
///
/// Shape: [a, b] x [b, c] x .. x [y, z] -> [a, z]
TERN_API Tensor linalg_multi_dot(TensorList tensors);

}  // namespace tern
