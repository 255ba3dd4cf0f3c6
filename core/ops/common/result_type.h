#pragma once

#include <tern/core/tensor/tensor.h>

// Dtypes of results.

namespace tern {

/// Returns the dtype of an elementwise result of two operands. A tensor with dimensions counts more
/// than a 0-d tensor, and that more than a number: the one that counts less decides only if it is
/// of a higher category (bool, integers, floating point).
TERN_API ScalarType result_type(const Tensor& tensor, const Tensor& other);
TERN_API ScalarType result_type(const Tensor& tensor, const Scalar& other);
TERN_API ScalarType result_type(const Scalar& scalar, const Tensor& tensor);
TERN_API ScalarType result_type(const Scalar& scalar1, const Scalar& scalar2);

}  // namespace tern
