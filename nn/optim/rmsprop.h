#pragma once

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of RMSprop.
struct TERN_API RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  /// Leaves every option at its default.
  RMSpropOptions();
  /// Sets the learning rate.
  RMSpropOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-2;
  /// The factor of the momentum buffer in each step. With 0 there is no buffer.
  TERN_OPTIM_ARG(double, momentum, .later = true) = 0;
  /// The decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(double, alpha, .most = 1) = 0.99;
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  /// True: divides by an estimate of the standard deviation of the gradient.
  TERN_OPTIM_ARG(bool, centered, .later = true) = false;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
};
extern template class OptimizerCloneableOptions<RMSpropOptions>;

/// The state of RMSprop for one parameter.
struct TERN_API RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The average of the squared gradient.
  TERN_OPTIM_STATE(Tensor, square_avg);
  /// The running sum of scaled gradients, with momentum.
  TERN_OPTIM_STATE(Tensor, momentum_buffer, .optional = true);
  /// The average of the gradient, with centered.
  TERN_OPTIM_STATE(Tensor, grad_avg, .optional = true);
};
extern template class OptimizerCloneableParamState<RMSpropParamState>;
extern template class OptimizerOf<RMSpropOptions, RMSpropParamState>;

/// RMSprop (Tieleman and Hinton, 2012), centered by Graves (2013).
///
///   g += weight_decay * p
///   v = alpha * v + (1 - alpha) * g^2
///   a += (1 - alpha) * (g - a)                    // centered
///   d = sqrt(centered ? v - a^2 : v) + eps
///   buf = momentum * buf + g / d                  // with momentum
///   p -= lr * (momentum > 0 ? buf : g / d)
class TERN_API RMSprop : public OptimizerOf<RMSpropOptions, RMSpropParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
