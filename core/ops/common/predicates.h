#pragma once

#include <tern/core/tensor/tensor.h>

// What programs for libtorch ask tensors about.

namespace tern {

/// Returns false: no tensor has complex numbers.
TERN_API bool is_complex(const Tensor& self);
/// Returns false: no tensor stands for the conjugate of its elements.
TERN_API bool is_conj(const Tensor& self);
/// Returns false: no tensor stands for the negative of its elements.
TERN_API bool is_neg(const Tensor& self);
/// Returns false: no tensor is spread over several processes.
TERN_API bool is_distributed(const Tensor& self);
/// Returns true when both tensors have the same sizes.
TERN_API bool is_same_size(const Tensor& self, const Tensor& other);
/// Returns true when both tensors have the same elements in memory: the same storage, offset, sizes
/// and strides.
TERN_API bool is_set_to(const Tensor& self, const Tensor& tensor);

}  // namespace tern
