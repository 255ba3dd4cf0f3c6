#pragma once

#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of Adamax.
struct TERN_API AdamaxOptions : public OptimizerCloneableOptions<AdamaxOptions> {
  /// Leaves every option at its default.
  AdamaxOptions();
  /// Sets the learning rate.
  AdamaxOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 2e-3;
  /// The decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.999);
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
  /// True: a CUDA graph may capture step(). The step count is then also stored on the device.
  /// state_dict() contains this option as in PyTorch, but load_state_dict() does not change it.
  TERN_OPTIM_ARG(bool, capturable) = false;
};
extern template class OptimizerCloneableOptions<AdamaxOptions>;

/// The state of Adamax for one parameter.
struct TERN_API AdamaxParamState : public OptimizerCloneableParamState<AdamaxParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The average m of the gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg);
  /// The decaying maximum u of the gradient.
  TERN_OPTIM_STATE(Tensor, exp_inf);
  /// `step` in float64 on the parameter's device, shared by parameters that step together;
  /// undefined unless capturable.
  TERN_OPTIM_STATE(Tensor, device_step, .not_saved = true);
};
extern template class OptimizerCloneableParamState<AdamaxParamState>;

/// Adamax, which is Adam with the infinity norm (Kingma and Ba, 2015).
///
///   g += weight_decay * p
///   m += (1 - beta1) * (g - m)
///   u = max(beta2 * u, |g| + eps)
///   p -= lr / (1 - beta1^t) * m / u
class TERN_API Adamax : public OptimizerOf<AdamaxOptions, AdamaxParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
