#pragma once

#include <tern/nn/options/normalization.h>

namespace tern::nn::functional {

/// Divides vectors by their p-norm, or by eps if the norm is smaller. The vectors lie along
/// dimension `dim`. Floating dtypes.
TERN_API Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

/// Local response normalisation (Krizhevsky et al., 2012): x / (k + alpha * a)^beta, where a is the
/// average of the squares of `size` neighbouring channels; channels that do not exist count as 0.
///
/// Shape: [N, C, ...] with at least three dimensions; the result has the same shape
/// Throws: ShapeError for fewer dimensions, Error unless size is positive.
TERN_API Tensor local_response_norm(const Tensor& input,
                                    const LocalResponseNormFuncOptions& options);

}  // namespace tern::nn::functional
