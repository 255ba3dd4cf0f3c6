#pragma once

#include <tern/nn/optim/adam.h>

namespace tern::optim {

/// Options of AdamW. A bare number is a learning rate.
struct TERN_API AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
  AdamWOptions() = default;
  AdamWOptions(double lr);
  TERN_OPTIM_ARG(double, lr) = 1e-3;
  /// Decay of the averages of the gradient and of its square.
  TERN_OPTIM_ARG(Betas, betas) = Betas(0.9, 0.999);
  TERN_OPTIM_ARG(double, eps) = 1e-8;
  TERN_OPTIM_ARG(double, weight_decay) = 1e-2;
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
extern template class OptimizerCloneableOptions<AdamWOptions>;

using AdamWParamState = AdamParamState;

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019): first p *= 1 - lr *
/// weight_decay, then the step of Adam without weight decay.
class TERN_API AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults = {});
  explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {});

  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_param_state() const override;
};

}  // namespace tern::optim
