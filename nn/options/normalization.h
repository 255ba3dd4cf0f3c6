#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options_arg.h>

namespace tern::nn {

/// Options of LayerNorm.
struct LayerNormOptions {
  LayerNormOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  LayerNormOptions(std::int64_t size) : normalized_shape_{size} {}
  /// The sizes of the last dimensions, which are normalised together.
  TERN_ARG(std::vector<std::int64_t>, normalized_shape);
  /// Added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// Whether there are parameters.
  TERN_ARG(bool, elementwise_affine) = true;
  /// Whether there is a bias among them.
  TERN_ARG(bool, bias) = true;
  /// Where and as what the parameters are made; the defaults unless given.
  TERN_ARG(std::optional<Device>, device);
  TERN_ARG(std::optional<ScalarType>, dtype);
};

namespace functional {
/// Options of layer_norm.
struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  LayerNormFuncOptions(std::int64_t size) : normalized_shape_{size} {}
  /// The sizes of the last dimensions, which are normalised together.
  TERN_ARG(std::vector<std::int64_t>, normalized_shape);
  TERN_ARG(Tensor, weight);
  TERN_ARG(Tensor, bias);
  TERN_ARG(double, eps) = 1e-5;
};
}  // namespace functional
}  // namespace tern::nn
