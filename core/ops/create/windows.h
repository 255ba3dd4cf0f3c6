#pragma once

#include <tern/core/tensor/tensor.h>

// Windows for signals: vectors of weights between 0 and 1 that fade out at both ends. A periodic
// window is a symmetric one of one more element, without its last. All throw ShapeError for a
// negative length and DTypeError for a dtype that is not floating point. The window of length 1
// is 1.

namespace tern {

/// Returns sin(pi i / (n - 1))^2 for i from 0 to n - 1.
TERN_API Tensor hann_window(StrictInt window_length, const TensorOptions& options = {});
TERN_API Tensor hann_window(StrictInt window_length, StrictBool periodic,
                            const TensorOptions& options = {});
/// Returns alpha - beta cos(2 pi i / (n - 1)) for i from 0 to n - 1; alpha is 0.54 and beta 0.46 by
/// default.
TERN_API Tensor hamming_window(StrictInt window_length, const TensorOptions& options = {});
TERN_API Tensor hamming_window(StrictInt window_length, StrictBool periodic,
                               const TensorOptions& options = {});
TERN_API Tensor hamming_window(StrictInt window_length, StrictBool periodic, double alpha,
                               const TensorOptions& options = {});
TERN_API Tensor hamming_window(StrictInt window_length, StrictBool periodic, double alpha,
                               double beta, const TensorOptions& options = {});
/// Returns 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)) for i from 0 to n - 1.
TERN_API Tensor blackman_window(StrictInt window_length, const TensorOptions& options = {});
TERN_API Tensor blackman_window(StrictInt window_length, StrictBool periodic,
                                const TensorOptions& options = {});
/// Returns 1 - |2 i / (n - 1) - 1| for i from 0 to n - 1, a triangle.
TERN_API Tensor bartlett_window(StrictInt window_length, const TensorOptions& options = {});
TERN_API Tensor bartlett_window(StrictInt window_length, StrictBool periodic,
                                const TensorOptions& options = {});
/// Returns i0(beta sqrt(1 - (2 i / (n - 1) - 1)^2)) / i0(beta) for i from 0 to n - 1; beta is 12 by
/// default.
TERN_API Tensor kaiser_window(StrictInt window_length, const TensorOptions& options = {});
TERN_API Tensor kaiser_window(StrictInt window_length, StrictBool periodic,
                              const TensorOptions& options = {});
TERN_API Tensor kaiser_window(StrictInt window_length, StrictBool periodic, double beta,
                              const TensorOptions& options = {});

}  // namespace tern
