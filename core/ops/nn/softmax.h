#pragma once

#include <tern/core/tensor/tensor.h>

// Softmax and its logarithm. With `dtype`, the input is converted first.

namespace tern {

/// Returns e^x / sum(e^x) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor softmax(const Tensor& self, StrictInt dim,
                        std::optional<ScalarType> dtype = std::nullopt);
/// Returns log(softmax(x)) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor log_softmax(const Tensor& self, StrictInt dim,
                            std::optional<ScalarType> dtype = std::nullopt);

}  // namespace tern
