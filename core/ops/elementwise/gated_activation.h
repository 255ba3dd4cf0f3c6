#pragma once

#include <tern/core/tensor/tensor.h>

// Activations with a gate or a learned slope.

namespace tern {

/// Returns a * sigmoid(b), where a and b are the halves of the input along `dim`. Throws Error for
/// an odd size.
TERN_API Tensor glu(const Tensor& input, std::int64_t dim = -1);
/// Returns x where x > 0, else weight * x. The weight has one element, or one for each index of
/// dimension 1. Throws Error for another size, DTypeError when the dtypes differ.
TERN_API Tensor prelu(const Tensor& self, const Tensor& weight);

}  // namespace tern
