#pragma once

#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of Rprop.
struct TERN_API RpropOptions : public OptimizerCloneableOptions<RpropOptions> {
  /// Leaves every option at its default.
  RpropOptions();
  /// Sets the learning rate.
  RpropOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-2;
  /// The factors of a step size after a change of sign and without one.
  TERN_OPTIM_ARG(Betas, etas, .unchecked = true) = Betas(0.5, 1.2);
  /// The smallest and the largest step size.
  TERN_OPTIM_ARG(Betas, step_sizes, .unchecked = true) = Betas(1e-6, 50);
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;

 public:
  /// Throws Error if a number is out of its range ("Invalid learning rate: -1").
  void check() const override;
};
extern template class OptimizerCloneableOptions<RpropOptions>;

/// The state of Rprop for one parameter.
struct TERN_API RpropParamState : public OptimizerCloneableParamState<RpropParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The gradient of the last step; 0 where its sign had changed.
  TERN_OPTIM_STATE(Tensor, prev);
  /// The step size of each element.
  TERN_OPTIM_STATE(Tensor, step_size);
};
extern template class OptimizerCloneableParamState<RpropParamState>;

/// Resilient backpropagation (Riedmiller and Braun, 1993): each element has a step size of its own,
/// which grows while the sign of the gradient stays and shrinks when the sign changes. For whole
/// batches only. The first step size is the learning rate.
class TERN_API Rprop : public OptimizerOf<RpropOptions, RpropParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
