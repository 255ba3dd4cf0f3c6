#pragma once

#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// beta1 and beta2.
using Betas = std::tuple<double, double>;

/// Options of Adam.
struct TERN_API AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
  /// libtorch's name of the type of `betas`.
  using betas_t = Betas;
  /// Leaves every option at its default.
  AdamOptions();
  /// Sets the learning rate.
  AdamOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  /// The decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.999);
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: divides by the largest average of squares so far (Reddi et al., 2018).
  TERN_OPTIM_ARG(bool, amsgrad, .later = true) = false;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
  /// True: a CUDA graph may capture step(). The step count is then also stored on the device.
  /// state_dict() contains this option as in PyTorch, but load_state_dict() does not change it.
  TERN_OPTIM_ARG(bool, capturable) = false;
};
extern template class OptimizerCloneableOptions<AdamOptions>;

/// The state of Adam and AdamW for one parameter.
struct TERN_API AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The average m of the gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg);
  /// The average v of the squared gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg_sq);
  /// The largest v so far, with amsgrad.
  TERN_OPTIM_STATE(Tensor, max_exp_avg_sq, .optional = true);
  /// `step` in float64 on the parameter's device, shared by parameters that step together;
  /// undefined unless capturable.
  TERN_OPTIM_STATE(Tensor, device_step, .not_saved = true);
};
extern template class OptimizerCloneableParamState<AdamParamState>;
extern template class OptimizerOf<AdamOptions, AdamParamState>;

/// Adam (Kingma and Ba, 2015), in the order of operations of Python's PyTorch.
///
///   g += weight_decay * p
///   m += (1 - beta1) * (g - m)
///   v = beta2 * v + (1 - beta2) * g^2
///   p -= lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
///
/// A CUDA graph can capture step() if every group is `capturable` and has taken a step before. Each
/// replay counts as a step and uses the learning rate that the options have at that time.
class TERN_API Adam : public OptimizerOf<AdamOptions, AdamParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
