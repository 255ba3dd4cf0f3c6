#pragma once

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of ASGD.
struct TERN_API ASGDOptions : public OptimizerCloneableOptions<ASGDOptions> {
  /// Leaves every option at its default.
  ASGDOptions();
  /// Sets the learning rate.
  ASGDOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-2;
  /// The decay of the parameter: step t multiplies it by 1 - lambd * eta_t.
  TERN_OPTIM_ARG(double, lambd) = 1e-4;
  /// The power by which eta decays.
  TERN_OPTIM_ARG(double, alpha) = 0.75;
  /// The step after which the average begins.
  TERN_OPTIM_ARG(double, t0, .unchecked = true) = 1e6;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
};
extern template class OptimizerCloneableOptions<ASGDOptions>;

/// The state of ASGD for one parameter.
struct TERN_API ASGDParamState : public OptimizerCloneableParamState<ASGDParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The step size of the next step, in float32 as in PyTorch.
  TERN_OPTIM_STATE(float, eta) = 0;
  /// The weight of the next step in the average.
  TERN_OPTIM_STATE(float, mu) = 1;
  /// The average of the parameter.
  TERN_OPTIM_STATE(Tensor, ax);
};
extern template class OptimizerCloneableParamState<ASGDParamState>;

/// Averaged stochastic gradient descent (Polyak and Juditsky, 1992).
///
///   g += weight_decay * p
///   p = (1 - lambd * eta) * p - eta * g
///   ax += mu * (p - ax)
///   eta = lr / (1 + lambd * lr * t)^alpha;  mu = 1 / max(1, t - t0)    // of the next step
///
/// No CUDA graph can capture step(), because the host computes eta and mu.
class TERN_API ASGD : public OptimizerOf<ASGDOptions, ASGDParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
