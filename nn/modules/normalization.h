#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/normalization.h>

namespace tern::nn {

/// Local response normalisation (Krizhevsky et al., 2012): x / (k + alpha * a)^beta, where a is the
/// average of the squares of `size` neighbouring channels.
///
/// Shape: [N, C, ...] with at least three dimensions; the result has the same shape
class TERN_API LocalResponseNormImpl : public Cloneable<LocalResponseNormImpl> {
 public:
  /// Makes the module; a bare number is size.
  explicit LocalResponseNormImpl(const LocalResponseNormOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for fewer than three dimensions.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  LocalResponseNormOptions options;
};
TERN_MODULE(LocalResponseNorm);

/// Local response normalisation as in Torch 7: x / (k + alpha / size * s)^beta, where s is the sum
/// of the squares of the channel itself and of (size - 1) / 2 channels on both sides. The square of
/// channel 0 is part of every s, as in PyTorch; the gradient is that of this formula.
///
/// Shape: [N, C, H, W]; the result has the same shape
class TERN_API CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
 public:
  /// Makes the module; a bare number is size.
  explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  CrossMapLRN2dOptions options;
};
TERN_MODULE(CrossMapLRN2d);

}  // namespace tern::nn
