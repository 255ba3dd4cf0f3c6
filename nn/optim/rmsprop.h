#pragma once

#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

/// Options of RMSprop.
struct TERN_API RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  /// Leaves every option at its default.
  RMSpropOptions() = default;
  /// Sets the learning rate.
  RMSpropOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-2;
  /// The decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(double, alpha) = 0.99;
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// The factor of the momentum buffer in each step. With 0 there is no buffer.
  TERN_OPTIM_ARG(double, momentum) = 0;
  /// True: divides by an estimate of the standard deviation of the gradient.
  TERN_OPTIM_ARG(bool, centered) = false;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize) = false;

 public:
  /// Throws Error if a number is out of its range ("Invalid learning rate: -1").
  void check() const override;
  /// Returns the names and members, for saving and loading.
  static auto fields();
};
extern template class OptimizerCloneableOptions<RMSpropOptions>;

/// The state of RMSprop for one parameter.
struct TERN_API RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  /// The number of steps so far.
  TERN_ARG(std::int64_t, step) = 0;
  /// The average of the squared gradient.
  TERN_ARG(Tensor, square_avg);
  /// The running sum of scaled gradients, with momentum.
  TERN_ARG(Tensor, momentum_buffer);
  /// The average of the gradient, with centered.
  TERN_ARG(Tensor, grad_avg);

 public:
  /// Throws Error if steps were taken but square_avg is missing. The other tensors may be missing,
  /// because the first step with their option makes them.
  void check() const override;
  /// Returns the names and members, for saving and loading.
  static auto fields();
};
extern template class OptimizerCloneableParamState<RMSpropParamState>;

/// RMSprop (Tieleman and Hinton, 2012), centered by Graves (2013).
///
///   g += weight_decay * p
///   v = alpha * v + (1 - alpha) * g^2
///   a += (1 - alpha) * (g - a)                    // centered
///   d = sqrt(centered ? v - a^2 : v) + eps
///   buf = momentum * buf + g / d                  // with momentum
///   p -= lr * (momentum > 0 ? buf : g / d)
class TERN_API RMSprop : public Optimizer {
 public:
  /// Optimizes the parameters or groups of parameters. Throws Error like Optimizer's constructor,
  /// and for options out of range.
  explicit RMSprop(std::vector<OptimizerParamGroup> param_groups,
                   const RMSpropOptions& defaults = {});
  explicit RMSprop(std::vector<Tensor> params, const RMSpropOptions& defaults = {});

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
