#pragma once

#include <tern/core/ops/generated/forms.h>
#include <tern/core/ops/linalg/matmul.h>
#include <tern/core/ops/shape/diagonal.h>

/// The names of libtorch's `torch::linalg`: functions of namespace tern, here those whose name
/// there does not begin with linalg_.
namespace tern::linalg {

using tern::matmul;
using tern::matmul_out;

/// Returns a view of the diagonals of matrices, as tern::diagonal().
inline Tensor diagonal(const Tensor& A, StrictInt offset = 0, StrictInt dim1 = -2,
                       StrictInt dim2 = -1) {
  return tern::diagonal(A, offset, dim1, dim2);
}

}  // namespace tern::linalg
