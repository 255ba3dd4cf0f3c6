#pragma once

#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

/// Options of SGD.
struct TERN_API SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  /// Sets the learning rate.
  SGDOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  /// The factor of the momentum buffer in each step. With 0 there is no buffer.
  TERN_OPTIM_ARG(double, momentum) = 0;
  /// The reduction of the gradient in the buffer: it enters with the factor 1 - dampening.
  TERN_OPTIM_ARG(double, dampening, .least = -kLargest) = 0;
  /// The factor of the L2 penalty: weight_decay times the parameter is added to the gradient.
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: Nesterov's momentum, which needs momentum above 0 and no dampening.
  TERN_OPTIM_ARG(bool, nesterov, .later = true) = false;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize, .later = true) = false;

 public:
  /// Throws Error if a number is out of its range ("Invalid learning rate: -1").
  void check() const override;
};
extern template class OptimizerCloneableOptions<SGDOptions>;

/// The state of SGD with momentum for one parameter.
struct TERN_API SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  /// The running sum of gradients; undefined before the first step.
  TERN_OPTIM_STATE(Tensor, momentum_buffer);
};
extern template class OptimizerCloneableParamState<SGDParamState>;

/// Stochastic gradient descent with momentum (Sutskever et al., 2013).
///
///   g += weight_decay * p
///   buf = momentum * buf + (1 - dampening) * g    // buf = g in the first step
///   g = nesterov ? g + momentum * buf : buf       // with momentum
///   p -= lr * g
class TERN_API SGD : public Optimizer {
 public:
  /// Optimizes the parameters or groups of parameters. Throws Error like Optimizer's constructor,
  /// and for options out of range.
  SGD(std::vector<OptimizerParamGroup> param_groups, const SGDOptions& defaults);
  SGD(std::vector<Tensor> params, const SGDOptions& defaults);

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
