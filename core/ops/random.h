#pragma once

#include <tern/core/tensor/tensor.h>

// Everything here draws what PyTorch draws from the same seed on the CPU. A missing generator means
// the default one of the device.

namespace tern {

/// Seeds the default generators of the CPU and of every CUDA device.
TERN_API void manual_seed(std::uint64_t seed);

/// Uniform in [0, 1).
TERN_API Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor rand(IntArrayRef sizes, std::optional<Generator> generator,
                     const TensorOptions& options = {});
/// Normal, mean 0, standard deviation 1.
TERN_API Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor randn(IntArrayRef sizes, std::optional<Generator> generator,
                      const TensorOptions& options = {});
/// Integers in [low, high); int64 unless options say otherwise.
TERN_API Tensor randint(std::int64_t high, IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef sizes,
                        const TensorOptions& options = {});
TERN_API Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef sizes,
                        std::optional<Generator> generator, const TensorOptions& options = {});
/// The numbers 0 .. n-1 in random order; int64 unless options say otherwise.
TERN_API Tensor randperm(std::int64_t n, const TensorOptions& options = {});
TERN_API Tensor randperm(std::int64_t n, std::optional<Generator> generator,
                         const TensorOptions& options = {});
/// Same sizes, dtype and device as `self`.
TERN_API Tensor rand_like(const Tensor& self, const TensorOptions& options = {});
TERN_API Tensor randn_like(const Tensor& self, const TensorOptions& options = {});
TERN_API Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high,
                             const TensorOptions& options = {});
/// 1 with the probability that stands in `self`, else 0; same dtype. Not differentiable.
TERN_API Tensor bernoulli(const Tensor& self, std::optional<Generator> generator = std::nullopt);

}  // namespace tern
