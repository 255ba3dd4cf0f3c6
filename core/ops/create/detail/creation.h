#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Returns the tensor that a factory has filled: pinned and with requires_grad as the options say,
/// and with version 0.
Tensor finish_factory(Tensor tensor, const TensorOptions& options);

/// Returns the strides of a copy of `self` in this memory format, or in its own order of
/// dimensions.
DimVector strides_like(const Tensor& self, std::optional<MemoryFormat> format);

/// Sets element i of `out` to start + i * step. `out` is contiguous, of float32, float64 or int64.
void fill_range(const Tensor& out, const Scalar& start, const Scalar& step);

/// Returns how many of `count` elements a factory computes at once if it casts them: as many as
/// stay in the cache, or on other devices than the CPU all.
inline std::int64_t factory_piece(const Device& device, std::int64_t count) {
  constexpr std::int64_t kPiece = 131072;
  return device.is_cpu() && count > kPiece ? kPiece : count;
}

}  // namespace tern::detail
