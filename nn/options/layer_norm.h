#pragma once

#include <cstdint>
#include <initializer_list>
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
  LayerNormOptions(std::initializer_list<std::int64_t> normalized_shape)
      : normalized_shape_(normalized_shape) {}
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

/// Options of RMSNorm.
struct RMSNormOptions {
  /// Sets normalized_shape; a bare number is the size of the last dimension.
  RMSNormOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  RMSNormOptions(std::initializer_list<std::int64_t> normalized_shape)
      : normalized_shape_(normalized_shape) {}
  RMSNormOptions(std::int64_t size) : normalized_shape_{size} {}
  template <class T>
  requires tern::detail::kIsBool<T> RMSNormOptions(T)
  = delete;
  /// The sizes of the last dimensions, which are normalised together.
  TERN_ARG(std::vector<std::int64_t>, normalized_shape);
  /// A number added to the mean of the squares. nullopt: see tern::rms_norm().
  TERN_ARG(std::optional<double>, eps);
  /// True: the module has a weight.
  TERN_ARG(bool, elementwise_affine) = true;
  /// The device of the weight; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the weight; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of GroupNorm.
struct GroupNormOptions {
  /// Sets both numbers.
  GroupNormOptions(StrictInt num_groups, StrictInt num_channels)
      : num_groups_(num_groups), num_channels_(num_channels) {}
  /// The number of groups; divides num_channels.
  TERN_ARG(std::int64_t, num_groups);
  /// The number of channels, dimension 1 of the input.
  TERN_ARG(std::int64_t, num_channels);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
  /// True: the module has parameters.
  TERN_ARG(bool, affine) = true;
  /// False: an affine module has no bias.
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

/// Options of nn::functional::rms_norm.
struct RMSNormFuncOptions {
  /// Sets normalized_shape; a bare number is the size of the last dimension.
  RMSNormFuncOptions(std::vector<std::int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  RMSNormFuncOptions(std::int64_t size) : normalized_shape_{size} {}
  template <class T>
  requires tern::detail::kIsBool<T> RMSNormFuncOptions(T)
  = delete;
  /// The sizes of the last dimensions, which are normalised together.
  TERN_ARG(std::vector<std::int64_t>, normalized_shape);
  /// The factor of each element, of normalized_shape; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// A number added to the mean of the squares. nullopt: see tern::rms_norm().
  TERN_ARG(std::optional<double>, eps);
};

/// Options of nn::functional::group_norm.
struct GroupNormFuncOptions {
  /// Sets num_groups.
  template <tern::detail::IntArgument T>
  GroupNormFuncOptions(const T& num_groups) : num_groups_(num_groups) {}
  /// The number of groups; divides the number of channels.
  TERN_ARG(std::int64_t, num_groups);
  /// The factor of each channel, [C]; undefined means 1.
  TERN_ARG(Tensor, weight);
  /// The summand of each channel, [C]; undefined means 0.
  TERN_ARG(Tensor, bias);
  /// A number added to the variance.
  TERN_ARG(double, eps) = 1e-5;
};
}  // namespace functional
}  // namespace tern::nn
