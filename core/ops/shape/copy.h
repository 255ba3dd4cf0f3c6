#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a copy with its own memory, in the order of dimensions of `self` unless a memory format
/// is given. Differentiable.
TERN_API Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format = std::nullopt);
/// Returns a tensor with the same memory that needs no gradient; see Tensor::detach().
inline Tensor detach(const Tensor& input) { return input.detach(); }
/// Cuts `input` off from the graph that made it; see Tensor::detach_().
inline Tensor& detach_(Tensor& input) { return input.detach_(); }
/// Returns the number of elements.
inline std::int64_t numel(const Tensor& input) { return input.numel(); }
/// Returns the number of the CUDA device; -1 for other devices.
inline DeviceIndex get_device(const Tensor& input) { return input.get_device(); }

}  // namespace tern
