#pragma once

#include <tern/core/tensor/tensor.h>

// On the CPU, these ops draw the numbers that PyTorch draws from the same seed. Without a
// generator, they use the default generator of the device.

namespace tern {

/// Seeds the default generators of the CPU and of every CUDA device, including those not made yet.
TERN_API void manual_seed(std::uint64_t seed);

/// Returns uniform random numbers in [0, 1). Draws from `generator`, or from the default generator
/// of the device; on the CPU the numbers are PyTorch's for the same seed. Floating dtypes.
///
/// Example:
///   tern::manual_seed(1);
///   Tensor x = tern::rand({2, 3});
TERN_API Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor rand(IntArrayRef sizes, std::optional<Generator> generator,
                     const TensorOptions& options = {});
/// Returns normal random numbers with mean 0 and standard deviation 1. Draws as rand() does.
/// Floating dtypes.
TERN_API Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor randn(IntArrayRef sizes, std::optional<Generator> generator,
                      const TensorOptions& options = {});
/// Returns uniform random numbers in [0, 1) with the sizes, dtype and device of `input`, unless
/// options say otherwise.
TERN_API Tensor rand_like(const Tensor& input, const TensorOptions& options = {});
TERN_API Tensor rand_like(const Tensor& input, std::optional<Generator> generator,
                          const TensorOptions& options = {},
                          std::optional<MemoryFormat> memory_format = std::nullopt);
inline Tensor rand_like(const Tensor& input, const TensorOptions& options,
                        std::optional<MemoryFormat> memory_format) {
  return rand_like(input, options.memory_format(memory_format));
}
/// Returns standard normal random numbers with the sizes, dtype and device of `input`, unless
/// options say otherwise.
TERN_API Tensor randn_like(const Tensor& input, const TensorOptions& options = {});
TERN_API Tensor randn_like(const Tensor& input, std::optional<Generator> generator,
                           const TensorOptions& options = {},
                           std::optional<MemoryFormat> memory_format = std::nullopt);
inline Tensor randn_like(const Tensor& input, const TensorOptions& options,
                         std::optional<MemoryFormat> memory_format) {
  return randn_like(input, options.memory_format(memory_format));
}

/// Returns the state of the device's default generator as a uint8 tensor on the CPU; see
/// Generator::state_bytes().
TERN_API Tensor get_rng_state(Device device = kCPU);
/// Restores a result of get_rng_state(). Throws Error for other bytes.
TERN_API void set_rng_state(const Tensor& state, Device device = kCPU);

}  // namespace tern
