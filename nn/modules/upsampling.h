#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/upsampling.h>

namespace tern::nn {

/// Gives the last dimensions of a tensor other sizes; see nn::functional::interpolate().
///
/// Shape: [N, C, ...] -> [N, C, size], in one to three dimensions
///
/// Example:
///   nn::Upsample twice(nn::UpsampleOptions().scale_factor({{2}}).mode(kNearest));
class TERN_API UpsampleImpl : public Cloneable<UpsampleImpl> {
 public:
  /// Makes the module.
  explicit UpsampleImpl(UpsampleOptions options_ = {});
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the resampled tensor. Throws Error and ShapeError when the options do not fit the
  /// input.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  UpsampleOptions options;
};
TERN_MODULE(Upsample);

}  // namespace tern::nn
