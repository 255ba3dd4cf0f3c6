#pragma once

#include <tern/nn/optim/adam.h>

namespace tern::optim {

/// Options of AdamW.
struct TERN_API AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
  /// libtorch's name of the type of `betas`.
  using betas_t = Betas;
  /// Leaves every option at its default.
  AdamWOptions();
  /// Sets the learning rate.
  AdamWOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  /// The decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.999);
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  /// The decay of the parameter: each step multiplies it by 1 - lr * weight_decay.
  TERN_OPTIM_ARG(double, weight_decay) = 1e-2;
  /// True: divides by the largest average of squares so far (Reddi et al., 2018).
  TERN_OPTIM_ARG(bool, amsgrad, .later = true) = false;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
  /// True: a CUDA graph may capture step(). The step count is then also stored on the device.
  /// state_dict() contains this option as in PyTorch, but load_state_dict() does not change it.
  TERN_OPTIM_ARG(bool, capturable) = false;
};
extern template class OptimizerCloneableOptions<AdamWOptions>;

/// The state of AdamW for one parameter.
using AdamWParamState = AdamParamState;
extern template class OptimizerOf<AdamWOptions, AdamWParamState>;

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019): first p *= 1 - lr *
/// weight_decay, then the step of Adam without weight decay.
class TERN_API AdamW : public OptimizerOf<AdamWOptions, AdamWParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
