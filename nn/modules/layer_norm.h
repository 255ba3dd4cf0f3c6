#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/ops/nn/group_norm.h>
#include <tern/core/ops/nn/layer_norm.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
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

/// Normalises each sample over its last dimensions; see tern::layer_norm().
inline Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return tern::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                          options.eps());
}
/// Divides each sample by the root mean square of its last dimensions; see tern::rms_norm().
inline Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options) {
  return tern::rms_norm(input, options.normalized_shape(), options.weight(), options.eps());
}
/// Normalises groups of channels of each sample; see tern::group_norm(). Throws ShapeError also if
/// a group of the whole batch has only one value.
TERN_API Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);

}  // namespace functional

/// Layer normalisation (Ba, Kiros and Hinton, 2016): (x - mean) / sqrt(variance + eps) * weight +
/// bias, with mean and biased variance of the last dimensions of each sample.
///
/// Shape: [..., normalized_shape]; the result has the same shape
/// Parameters: weight (ones) and bias (zeros) of normalized_shape, if elementwise_affine; bias only
/// if bias
class TERN_API LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  /// Makes the parameters. A bare number is the size of the last dimension.
  explicit LayerNormImpl(const LayerNormOptions& options_);

  void reset() override;
  /// Sets weight to 1 and bias to 0.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError unless the input's last sizes are
  /// normalized_shape.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  LayerNormOptions options;
  /// The parameters; undefined if disabled by the options.
  Tensor weight, bias;
};
TERN_MODULE(LayerNorm);

/// Root mean square normalisation (Zhang and Sennrich, 2019): x / sqrt(mean(x^2) + eps) * weight,
/// with the mean over the last dimensions of each sample.
///
/// Shape: [..., normalized_shape]; the result has the same shape
/// Parameters: weight (ones) of normalized_shape, if elementwise_affine
class TERN_API RMSNormImpl : public Cloneable<RMSNormImpl> {
 public:
  /// Makes the weight. A bare number is the size of the last dimension.
  explicit RMSNormImpl(const RMSNormOptions& options_);

  void reset() override;
  /// Sets the weight to 1.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError unless the input's last sizes are
  /// normalized_shape.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  RMSNormOptions options;
  /// The parameter; undefined if disabled by the options.
  Tensor weight;
};
TERN_MODULE(RMSNorm);

/// Group normalisation (Wu and He, 2018): (x - mean) / sqrt(variance + eps) * weight + bias, with
/// mean and biased variance of each group of channels of each sample.
///
/// Shape: [N, C, ...]; the result has the same shape
/// Parameters: weight (ones) and bias (zeros) [C], if affine; bias only if bias
///
/// Example:
///   nn::GroupNorm norm(2, 6);  // two groups of three channels
class TERN_API GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  /// Makes the parameters. Throws ShapeError unless num_groups divides num_channels.
  GroupNormImpl(StrictInt num_groups, StrictInt num_channels);
  /// Makes the parameters. Throws ShapeError unless num_groups divides num_channels.
  explicit GroupNormImpl(const GroupNormOptions& options_);

  void reset() override;
  /// Sets weight to 1 and bias to 0.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError unless the input has num_channels channels.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  GroupNormOptions options;
  /// The parameters; undefined if disabled by the options.
  Tensor weight, bias;
};
TERN_MODULE(GroupNorm);

}  // namespace tern::nn
