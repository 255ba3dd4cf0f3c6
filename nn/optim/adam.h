#pragma once

#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

using Betas = std::tuple<double, double>;

/// Options of Adam. A bare number is a learning rate.
struct TERN_API AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
  AdamOptions() = default;
  AdamOptions(double lr);
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  /// Decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.999);
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  TERN_OPTIM_ARG(double, weight_decay) = 0;
  /// Whether the largest average of squares so far is used.
  TERN_OPTIM_ARG(bool, amsgrad) = false;
  /// Whether steps go up the gradient.
  TERN_OPTIM_ARG(bool, maximize) = false;
  /// Whether a CUDA graph may capture step(): the count of steps is then kept on the device, too.
  /// Saved as PyTorch does, but not changed by load_state_dict.
  TERN_OPTIM_ARG(bool, capturable) = false;

 public:
  void check() const override;
  static auto fields();
};
extern template class OptimizerCloneableOptions<AdamOptions>;

/// What Adam and AdamW remember.
struct TERN_API AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
  TERN_ARG(std::int64_t, step) = 0;
  TERN_ARG(Tensor, exp_avg);
  TERN_ARG(Tensor, exp_avg_sq);
  TERN_ARG(Tensor, max_exp_avg_sq);
  /// `step` in float64 where the parameter is, shared by parameters that step together; undefined
  /// unless capturable.
  TERN_ARG(Tensor, device_step);

 public:
  /// The averages are there, unless no step was taken: an optimizer whose step failed has none yet,
  /// and max_exp_avg_sq comes with the first step under amsgrad.
  void check() const override;
  static auto fields();
};
extern template class OptimizerCloneableParamState<AdamParamState>;

/// Adam (Kingma and Ba, 2015), in the order of operations of Python's PyTorch:
///   g += weight_decay * p;  m += (1 - beta1) * (g - m);  v = beta2 * v + (1 - beta2) * g^2;
///   p -= lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
/// A graph captures step() when every group is `capturable` and has stepped before. Each replay is
/// a step: it is counted, and takes the learning rate that the options have then.
class TERN_API Adam : public Optimizer {
 public:
  explicit Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults = {});
  explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {});

  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
