#pragma once

#include <tern/core/ops/shape/copy.h>
#include <tern/nn/module/cloneable.h>

namespace tern::nn::detail {

/// Returns a copy of a tensor of the options, for a buffer that the module may move.
inline Tensor own(const Tensor& tensor) {
  return tensor.defined() ? tensor.detach().clone() : Tensor();
}

/// A loss whose options have a weight.
///
/// Buffers: weight, if given
template <class Derived, class Options>
class WeightedLoss : public Cloneable<Derived> {
 public:
  /// Makes the module and registers the weight.
  explicit WeightedLoss(const Options& options_ = Options()) : options(options_) {
    WeightedLoss::reset();
  }
  void reset() override { this->bind_buffer("weight", weight, own(options.weight())); }

  /// The options given to the constructor.
  Options options;
  /// The factor of each class, or of each element's loss; undefined means 1.
  Tensor weight;
};

}  // namespace tern::nn::detail
