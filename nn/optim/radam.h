#pragma once

#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of RAdam.
struct TERN_API RAdamOptions : public OptimizerCloneableOptions<RAdamOptions> {
  /// Leaves every option at its default.
  RAdamOptions();
  /// Sets the learning rate.
  RAdamOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-3;
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
  /// True: each step multiplies the parameter by 1 - lr * weight_decay instead.
  TERN_OPTIM_ARG(bool, decoupled_weight_decay, .later = true) = false;
};
extern template class OptimizerCloneableOptions<RAdamOptions>;

/// The state of RAdam for one parameter.
struct TERN_API RAdamParamState : public OptimizerCloneableParamState<RAdamParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The average m of the gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg);
  /// The average v of the squared gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg_sq);
  /// `step` in float64 on the parameter's device, shared by parameters that step together;
  /// undefined unless capturable.
  TERN_OPTIM_STATE(Tensor, device_step, .not_saved = true);
};
extern template class OptimizerCloneableParamState<RAdamParamState>;

/// RAdam, which is Adam with a rectified variance (Liu et al., 2020).
///
///   g += weight_decay * p
///   m += (1 - beta1) * (g - m)
///   v = beta2 * v + (1 - beta2) * g^2
///   n = 2 / (1 - beta2) - 1;  n_t = n - 2 * t * beta2^t / (1 - beta2^t)
///   r = sqrt((n_t - 4) * (n_t - 2) * n / ((n - 4) * (n - 2) * n_t))
///   p -= lr * m / (1 - beta1^t) * r * sqrt(1 - beta2^t) / (sqrt(v) + eps)
///
/// In steps with n_t <= 5 the last line is p -= lr * m / (1 - beta1^t).
class TERN_API RAdam : public OptimizerOf<RAdamOptions, RAdamParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
