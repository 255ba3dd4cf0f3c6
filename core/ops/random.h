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
/// Returns random integers in [low, high); low is 0 by default. int64 unless options say otherwise.
/// Draws as rand() does. Throws Error unless low < high.
TERN_API Tensor randint(StrictInt high, IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes,
                        const TensorOptions& options = {});
TERN_API Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes,
                        std::optional<Generator> generator, const TensorOptions& options = {});
/// Returns the numbers 0 .. n-1 in random order; int64 unless options say otherwise. Drawn on the
/// CPU for every device, from the CPU's generator unless one is given. Throws Error for a negative
/// n.
TERN_API Tensor randperm(StrictInt n, const TensorOptions& options = {});
TERN_API Tensor randperm(StrictInt n, std::optional<Generator> generator,
                         const TensorOptions& options = {});
/// Returns uniform random numbers in [0, 1) with the sizes, dtype and device of `input`, unless
/// options say otherwise.
TERN_API Tensor rand_like(const Tensor& input, const TensorOptions& options = {});
/// Returns standard normal random numbers with the sizes, dtype and device of `input`, unless
/// options say otherwise.
TERN_API Tensor randn_like(const Tensor& input, const TensorOptions& options = {});
/// Returns random integers in [low, high) with the sizes, dtype and device of `input`, unless
/// options say otherwise.
TERN_API Tensor randint_like(const Tensor& input, StrictInt low, StrictInt high,
                             const TensorOptions& options = {});
/// Returns 1 with the probability that the element of `self` gives, else 0, in the same dtype.
/// Floating dtypes. Not differentiable. Throws Error unless all probabilities lie in [0, 1]; on a
/// GPU the next call that waits throws.
TERN_API Tensor bernoulli(const Tensor& self, std::optional<Generator> generator = std::nullopt);

}  // namespace tern
