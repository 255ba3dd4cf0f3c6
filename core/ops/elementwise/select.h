#pragma once

#include <tern/core/tensor/tensor.h>

// Elements chosen by bounds or by a condition; see arithmetic.h for shapes, dtypes and devices.

namespace tern {

/// Limits each element to [min, max]; a missing bound does not limit. The gradient is 0 at and
/// beyond a number; a tensor of bounds gets the gradient beyond it, and half of it at a tie. Throws
/// Error when both bounds are missing.
TERN_API Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                      const std::optional<Scalar>& max = std::nullopt);
TERN_API Tensor clamp(const Tensor& self, const std::optional<Tensor>& min,
                      const std::optional<Tensor>& max = std::nullopt);
TERN_API Tensor& clamp_(Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                        const std::optional<Scalar>& max = std::nullopt);
TERN_API Tensor& clamp_(Tensor& self, const std::optional<Tensor>& min,
                        const std::optional<Tensor>& max = std::nullopt);
/// Limits each element to at least `min`. The gradient is 0 at and below a number; a tensor of
/// bounds gets it there, and half of it at a tie.
TERN_API Tensor clamp_min(const Tensor& self, const Scalar& min);
TERN_API Tensor clamp_min(const Tensor& self, const Tensor& min);
TERN_API Tensor& clamp_min_(Tensor& self, const Scalar& min);
TERN_API Tensor& clamp_min_(Tensor& self, const Tensor& min);
/// Limits each element to at most `max`. The gradient is 0 at and above a number; a tensor of
/// bounds gets it there, and half of it at a tie.
TERN_API Tensor clamp_max(const Tensor& self, const Scalar& max);
TERN_API Tensor clamp_max(const Tensor& self, const Tensor& max);
TERN_API Tensor& clamp_max_(Tensor& self, const Scalar& max);
TERN_API Tensor& clamp_max_(Tensor& self, const Tensor& max);
/// Returns `self` where the bool `condition` holds, else `other`. Throws DTypeError unless the
/// condition is bool.
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other);
/// Returns `value` where the bool `mask` holds, else `self`. Throws DTypeError unless the mask is
/// bool, and ShapeError for a value with dimensions.
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);
TERN_API Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value);
TERN_API Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value);

}  // namespace tern
