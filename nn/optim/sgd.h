#pragma once

#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

/// Options of SGD. A bare number is a learning rate.
struct TERN_API SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr);
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  TERN_OPTIM_ARG(double, momentum) = 0;
  TERN_OPTIM_ARG(double, dampening) = 0;
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  TERN_OPTIM_ARG(bool, nesterov) = false;
  /// Whether steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize) = false;

 public:
  void check() const override;
  static auto fields();
};
extern template class OptimizerCloneableOptions<SGDOptions>;

/// What SGD with momentum remembers.
struct TERN_API SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  TERN_ARG(Tensor, momentum_buffer);

 public:
  static auto fields();
};
extern template class OptimizerCloneableParamState<SGDParamState>;

/// Stochastic gradient descent: p -= lr * g, with
///   g += weight_decay * p;
///   momentum: buf = g at first, then buf = momentum * buf + (1 - dampening) * g; g = buf, or
///   g + momentum * buf with nesterov.
class TERN_API SGD : public Optimizer {
 public:
  SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults);
  SGD(std::vector<Tensor> params, SGDOptions defaults);

  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
