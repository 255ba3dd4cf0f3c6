#pragma once

#include <tern/core/tensor/tensor.h>

// Softmax and its logarithm.

namespace tern {

/// Returns e^x / sum(e^x) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor softmax(const Tensor& self, StrictInt dim);
/// Returns log(softmax(x)) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor log_softmax(const Tensor& self, StrictInt dim);

}  // namespace tern
