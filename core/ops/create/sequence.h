#pragma once

#include <tern/core/tensor/tensor.h>

// Evenly spaced numbers.

namespace tern {

/// Returns `steps` evenly spaced numbers from start to end, both included, as a 1-d tensor. Throws
/// ShapeError for a negative number of steps.
TERN_API Tensor linspace(const Scalar& start, const Scalar& end, StrictInt steps,
                         const TensorOptions& options = {});
/// Returns `steps` numbers from base^start to base^end, both included, whose logarithms are evenly
/// spaced, as a 1-d tensor. Throws ShapeError for a negative number of steps.
TERN_API Tensor logspace(const Scalar& start, const Scalar& end, StrictInt steps, double base = 10,
                         const TensorOptions& options = {});

}  // namespace tern
