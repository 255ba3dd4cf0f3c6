#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// Moves the learning rates to `swa_lr` in `anneal_epochs` steps, along half a cosine or a straight
/// line, and keeps them there, for stochastic weight averaging (Izmailov et al., 2018); see
/// AveragedModel. The curve starts at the learning rates that the first step() finds, so that
/// another scheduler may change them before. With 0 epochs the constructor already sets swa_lr.
///
/// Each group stores its swa_lr in OptimizerParamGroup::schedule(), as in Python.
///
/// Example:
///   optim::CosineAnnealingLR scheduler(optimizer, 100);
///   optim::SWALR swa_scheduler(optimizer, 0.05);
///   for (int epoch = 0; epoch < 100; ++epoch) {
///     train(model, optimizer);
///     if (epoch > 75) {
///       average.update_parameters(model);
///       swa_scheduler.step();
///     } else {
///       scheduler.step();
///     }
///   }
class TERN_API SWALR : public LRScheduler {
 public:
  /// Takes one swa_lr for all groups or a list with one for each group. `anneal_strategy` is "cos"
  /// or "linear". Throws Error for another one, for negative anneal_epochs and for a list of
  /// another length than the groups.
  SWALR(Optimizer& optimizer, const PerGroup& swa_lr, std::int64_t anneal_epochs = 10,
        std::string anneal_strategy = "cos", std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The number of steps to swa_lr.
  std::int64_t anneal_epochs_;
  /// The curve.
  std::string anneal_strategy_;

 private:
  double share_after(std::int64_t step) const;
};

}  // namespace tern::optim
