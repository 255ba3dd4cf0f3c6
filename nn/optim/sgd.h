#pragma once

#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

/// Options of SGD.
struct TERN_API SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  /// Sets the learning rate.
  SGDOptions(double lr);
  /// The learning rate.
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  /// The share of the buffer that stays in each step; 0 keeps no buffer.
  TERN_OPTIM_ARG(double, momentum) = 0;
  /// The share of the gradient that does not enter the buffer.
  TERN_OPTIM_ARG(double, dampening) = 0;
  /// The factor of the parameter that is added to its gradient (L2 penalty).
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// True: Nesterov's momentum, which needs momentum above 0 and no dampening.
  TERN_OPTIM_ARG(bool, nesterov) = false;
  /// True: steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize) = false;

 public:
  /// Throws Error when a number is out of its range ("Invalid learning rate: -1").
  void check() const override;
  /// Returns the names and members, for saving and loading.
  static auto fields();
};
extern template class OptimizerCloneableOptions<SGDOptions>;

/// The state of SGD with momentum for one parameter.
struct TERN_API SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  /// The running sum of gradients; undefined before the first step.
  TERN_ARG(Tensor, momentum_buffer);

 public:
  /// Returns the names and members, for saving and loading.
  static auto fields();
};
extern template class OptimizerCloneableParamState<SGDParamState>;

/// Stochastic gradient descent with momentum (Sutskever et al., 2013).
///
///   g += weight_decay * p
///   buf = momentum * buf + (1 - dampening) * g    // buf = g at first
///   g = nesterov ? g + momentum * buf : buf       // with momentum
///   p -= lr * g
class TERN_API SGD : public Optimizer {
 public:
  /// Takes over parameters or groups of them. Throws Error as Optimizer's constructor does, and for
  /// options out of range.
  SGD(std::vector<OptimizerParamGroup> param_groups, const SGDOptions& defaults);
  SGD(std::vector<Tensor> params, const SGDOptions& defaults);

  /// Changes every parameter that has a gradient; see Optimizer::step().
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
