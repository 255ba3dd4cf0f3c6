#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/activation.h>

namespace tern::nn {

/// Rectified linear unit: max(x, 0), elementwise.
class TERN_API ReLUImpl : public Cloneable<ReLUImpl> {
 public:
  /// Makes the module.
  explicit ReLUImpl(const ReLUOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns max(input, 0), with the input's shape.
  Tensor forward(Tensor input);

  /// The options given to the constructor.
  ReLUOptions options;
};
TERN_MODULE(ReLU);

/// Logistic function: 1 / (1 + e^-x), elementwise.
class TERN_API SigmoidImpl : public Cloneable<SigmoidImpl> {
 public:
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the sigmoid, with the input's shape.
  Tensor forward(Tensor input);
};
TERN_MODULE(Sigmoid);

/// Hyperbolic tangent, elementwise.
class TERN_API TanhImpl : public Cloneable<TanhImpl> {
 public:
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the hyperbolic tangent, with the input's shape.
  Tensor forward(Tensor input);
};
TERN_MODULE(Tanh);

}  // namespace tern::nn
