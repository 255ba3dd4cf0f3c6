#pragma once

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of Adagrad.
struct TERN_API AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
  /// Leaves every option at its default.
  AdagradOptions();
  /// Sets the learning rate.
  AdagradOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-2;
  /// The decay of the learning rate: step t has lr / (1 + (t - 1) * lr_decay).
  TERN_OPTIM_ARG(double, lr_decay) = 0;
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps, .later = true) = 1e-10;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// The first value of the sum of squares.
  TERN_OPTIM_ARG(double, initial_accumulator_value) = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
};
extern template class OptimizerCloneableOptions<AdagradOptions>;

/// The state of Adagrad for one parameter.
struct TERN_API AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The sum of the squared gradients.
  TERN_OPTIM_STATE(Tensor, sum);
};
extern template class OptimizerCloneableParamState<AdagradParamState>;

/// Adagrad (Duchi et al., 2011).
///
///   g += weight_decay * p
///   s += g^2
///   p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
class TERN_API Adagrad : public OptimizerOf<AdagradOptions, AdagradParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
