#pragma once

#include <tern/core/tensor/tensor.h>

// Random integers and permutations; see random.h for seeds and generators.

namespace tern {

/// Returns random integers in [low, high); low is 0 by default. int64 unless options say otherwise.
/// Draws as rand() does. Throws Error unless low < high.
TERN_API Tensor randint(StrictInt high, IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor randint(StrictInt high, IntArrayRef sizes, std::optional<Generator> generator,
                        const TensorOptions& options = {});
TERN_API Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes,
                        const TensorOptions& options = {});
TERN_API Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes,
                        std::optional<Generator> generator, const TensorOptions& options = {});
/// Returns the numbers 0 .. n-1 in random order; int64 unless options say otherwise. Drawn on the
/// CPU for every device, from the CPU's generator unless one is given. Throws Error for a negative
/// n and for an n that the dtype cannot count to, NotImplementedError for bool.
TERN_API Tensor randperm(StrictInt n, const TensorOptions& options = {});
TERN_API Tensor randperm(StrictInt n, std::optional<Generator> generator,
                         const TensorOptions& options = {});
/// Returns random integers in [low, high) with the sizes, dtype and device of `input`, unless
/// options say otherwise; low is 0 by default.
TERN_API Tensor randint_like(const Tensor& input, StrictInt high,
                             const TensorOptions& options = {});
TERN_API Tensor randint_like(const Tensor& input, StrictInt low, StrictInt high,
                             const TensorOptions& options = {});
TERN_API Tensor randint_like(const Tensor& input, StrictInt high,
                             std::optional<Generator> generator, const TensorOptions& options = {},
                             std::optional<MemoryFormat> memory_format = std::nullopt);
TERN_API Tensor randint_like(const Tensor& input, StrictInt low, StrictInt high,
                             std::optional<Generator> generator, const TensorOptions& options = {},
                             std::optional<MemoryFormat> memory_format = std::nullopt);
inline Tensor randint_like(const Tensor& input, StrictInt high, const TensorOptions& options,
                           std::optional<MemoryFormat> memory_format) {
  return randint_like(input, high, options.memory_format(memory_format));
}
inline Tensor randint_like(const Tensor& input, StrictInt low, StrictInt high,
                           const TensorOptions& options,
                           std::optional<MemoryFormat> memory_format) {
  return randint_like(input, low, high, options.memory_format(memory_format));
}

}  // namespace tern
