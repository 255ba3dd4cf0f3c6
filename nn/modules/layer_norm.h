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

}  // namespace tern::nn
