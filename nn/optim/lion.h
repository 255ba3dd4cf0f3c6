#pragma once

#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of Lion.
struct TERN_API LionOptions : public OptimizerCloneableOptions<LionOptions> {
  /// Leaves every option at its default.
  LionOptions();
  /// Sets the learning rate.
  LionOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-4;
  /// The share of the average in the direction, and the decay of the average.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.99);
  /// The decay of the parameter: each step multiplies it by 1 - lr * weight_decay.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize) = false;
};
extern template class OptimizerCloneableOptions<LionOptions>;

/// The state of Lion for one parameter.
struct TERN_API LionParamState : public OptimizerCloneableParamState<LionParamState> {
  /// The average m of the gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg);
};
extern template class OptimizerCloneableParamState<LionParamState>;

/// Lion (Chen et al., 2023). PyTorch has no Lion; this one has the formula and the defaults of the
/// paper.
///
///   p *= 1 - lr * weight_decay
///   p -= lr * sign(beta1 * m + (1 - beta1) * g)
///   m = beta2 * m + (1 - beta2) * g
class TERN_API Lion : public OptimizerOf<LionOptions, LionParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
