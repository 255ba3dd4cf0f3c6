#pragma once

#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/optimizer_of.h>

namespace tern::optim {

/// Options of NAdam.
struct TERN_API NAdamOptions : public OptimizerCloneableOptions<NAdamOptions> {
  /// Leaves every option at its default.
  NAdamOptions();
  /// Sets the learning rate.
  NAdamOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 2e-3;
  /// The decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.999);
  /// A number added to the denominator.
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// How fast the momentum grows: in step t it is beta1 * (1 - 0.96^(t * momentum_decay) / 2).
  TERN_OPTIM_ARG(double, momentum_decay) = 4e-3;
  /// True: each step multiplies the parameter by 1 - lr * weight_decay instead.
  TERN_OPTIM_ARG(bool, decoupled_weight_decay, .later = true) = false;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
};
extern template class OptimizerCloneableOptions<NAdamOptions>;

/// The state of NAdam for one parameter.
struct TERN_API NAdamParamState : public OptimizerCloneableParamState<NAdamParamState> {
  /// The number of steps so far.
  TERN_OPTIM_STATE(std::int64_t, step) = 0;
  /// The product of the momenta so far, in float32 as in PyTorch.
  TERN_OPTIM_STATE(float, mu_product) = 1;
  /// The average m of the gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg);
  /// The average v of the squared gradient.
  TERN_OPTIM_STATE(Tensor, exp_avg_sq);
};
extern template class OptimizerCloneableParamState<NAdamParamState>;

/// NAdam, which is Adam with Nesterov momentum (Dozat, 2016).
///
///   g += weight_decay * p
///   m += (1 - beta1) * (g - m)
///   v = beta2 * v + (1 - beta2) * g^2
///   d = sqrt(v / (1 - beta2^t)) + eps
///   p -= lr * (1 - mu_t) / (1 - mu_1 .. mu_t) * g / d + lr * mu_(t+1) / (1 - mu_1 .. mu_(t+1)) * m
///   / d
///
/// No CUDA graph can capture step(), because the host computes the momenta.
class TERN_API NAdam : public OptimizerOf<NAdamOptions, NAdamParamState> {
 public:
  using OptimizerOf::OptimizerOf;

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace tern::optim
