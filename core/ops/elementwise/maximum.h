#pragma once

#include <tern/core/tensor/tensor.h>

// The larger or smaller of two elements; see arithmetic.h for shapes, dtypes and devices.

namespace tern {

/// Returns the larger element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor maximum(const Tensor& self, const Tensor& other);
/// Returns the smaller element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor minimum(const Tensor& self, const Tensor& other);
/// Returns the larger element; NaN only if both are NaN. At a tie each side gets half the gradient.
TERN_API Tensor fmax(const Tensor& self, const Tensor& other);
/// Returns the smaller element; NaN only if both are NaN. At a tie each side gets half the
/// gradient.
TERN_API Tensor fmin(const Tensor& self, const Tensor& other);

}  // namespace tern
