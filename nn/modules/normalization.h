#pragma once

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/normalization.h>

namespace tern::nn {

/// Layer normalisation: (x - mean) / sqrt(variance + eps) * weight + bias, mean and biased variance
/// being those of the last dimensions of each sample.
///
/// Shape:      [*, normalized_shape...], which the result has too.
/// Parameters: weight (ones) and bias (zeros) of normalized_shape, if elementwise_affine; bias only
///             if bias.
class TERN_API LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  explicit LayerNormImpl(const LayerNormOptions& options_);

  void reset() override;
  /// Weight 1 and bias 0.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LayerNormOptions options;
  Tensor weight, bias;
};
TERN_MODULE(LayerNorm);

}  // namespace tern::nn
