#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of LocalResponseNorm.
struct LocalResponseNormOptions {
  /// Sets size.
  template <tern::detail::IntArgument T>
  LocalResponseNormOptions(const T& size) : size_(size) {}
  /// The number of neighbouring channels that are averaged.
  TERN_ARG(std::int64_t, size);
  /// The factor of the average.
  TERN_ARG(double, alpha) = 1e-4;
  /// The exponent.
  TERN_ARG(double, beta) = 0.75;
  /// A number added to the average.
  TERN_ARG(double, k) = 1;
};
/// Options of CrossMapLRN2d.
using CrossMapLRN2dOptions = LocalResponseNormOptions;

namespace functional {
/// Options of nn::functional::local_response_norm; the same as those of the layer.
using LocalResponseNormFuncOptions = LocalResponseNormOptions;

/// Options of nn::functional::normalize.
struct NormalizeFuncOptions {
  /// The order of the norm.
  TERN_ARG(double, p) = 2.0;
  /// The dimension of the vectors.
  TERN_ARG(std::int64_t, dim) = 1;
  /// Smaller norms count as this number.
  TERN_ARG(double, eps) = 1e-12;
  /// A tensor for the result, which then has no gradient.
  TERN_ARG(std::optional<Tensor>, out) = std::nullopt;
};
}  // namespace functional
}  // namespace tern::nn
