#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of LayerNorm.
struct LayerNormOptions {
  /// Sets normalized_shape; a bare number is the size of the last dimension.
  LayerNormOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  LayerNormOptions(std::int64_t size) : normalized_shape_{size} {}
  template <class T>
  requires tern::detail::kIsBool<T> LayerNormOptions(T)
  = delete;
  /// The sizes of the last dimensions, which are normalised together.
  TERN_ARG(std::vector<std::int64_t>, normalized_shape);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// True: the module has parameters.
  TERN_ARG(bool, elementwise_affine) = true;
  /// True: the module has a bias, if it has parameters at all.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

namespace functional {
/// Options of nn::functional::layer_norm.
struct LayerNormFuncOptions {
  /// Sets normalized_shape; a bare number is the size of the last dimension.
  LayerNormFuncOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  LayerNormFuncOptions(std::int64_t size) : normalized_shape_{size} {}
  template <class T>
  requires tern::detail::kIsBool<T> LayerNormFuncOptions(T)
  = delete;
  /// The sizes of the last dimensions, which are normalised together.
  TERN_ARG(std::vector<std::int64_t>, normalized_shape);
  /// The factor of each element, of normalized_shape; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// The summand of each element, of normalized_shape; undefined means 0.
  TERN_ARG(Tensor, bias);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
};
}  // namespace functional
}  // namespace tern::nn
