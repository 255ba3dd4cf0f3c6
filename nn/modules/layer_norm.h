#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/layer_norm.h>

namespace tern::nn {

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
