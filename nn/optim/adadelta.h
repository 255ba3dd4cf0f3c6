#pragma once

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of Adadelta.
struct TERN_API AdadeltaOptions : public OptimizerCloneableOptions<AdadeltaOptions> {
  /// Leaves every option at its default.
  AdadeltaOptions();
  /// Sets the learning rate.
  AdadeltaOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1.0;
  /// The decay of both averages.
  TERN_OPTIM_ARG(double, rho, .most = 1) = 0.9;
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-6;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
};
extern template class OptimizerCloneableOptions<AdadeltaOptions>;

/// The state of Adadelta for one parameter.
struct TERN_API AdadeltaParamState : public OptimizerCloneableParamState<AdadeltaParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The average v of the squared gradient.
  TERN_OPTIM_STATE(Tensor, square_avg);
  /// The average u of the squared change.
  TERN_OPTIM_STATE(Tensor, acc_delta);
};
extern template class OptimizerCloneableParamState<AdadeltaParamState>;

/// Adadelta (Zeiler, 2012).
///
///   g += weight_decay * p
///   v = rho * v + (1 - rho) * g^2
///   d = sqrt(u + eps) / sqrt(v + eps) * g
///   u = rho * u + (1 - rho) * d^2
///   p -= lr * d
class TERN_API Adadelta : public OptimizerOf<AdadeltaOptions, AdadeltaParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
