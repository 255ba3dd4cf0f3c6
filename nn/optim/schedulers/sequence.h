#pragma once

#include <memory>
#include <vector>

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// Schedulers in a list.
using LRSchedulerList = std::vector<std::shared_ptr<LRScheduler>>;

/// Uses one scheduler after the other. At each milestone the next one starts with its epoch 0.
///
/// Example:
///   auto warmup = std::make_shared<optim::ConstantLR>(optimizer, 0.1, 20);
///   auto decay = std::make_shared<optim::ExponentialLR>(optimizer, 0.9);
///   optim::SequentialLR scheduler(optimizer, {warmup, decay}, {20});
class TERN_API SequentialLR : public LRScheduler {
 public:
  /// `milestones` are epochs in ascending order, one less than schedulers. Throws Error if the
  /// numbers do not fit, if a scheduler has another optimizer, and for a SequentialLR or
  /// ChainedScheduler after the first scheduler, because these cannot start at a milestone.
  SequentialLR(Optimizer& optimizer, LRSchedulerList schedulers,
               std::vector<std::int64_t> milestones, std::int64_t last_epoch = -1);

  /// Sets the learning rates of the next epoch by the scheduler of that epoch.
  void step() override;

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;
  void undo_initial_step() override;

 private:
  std::size_t index_of(std::int64_t epoch) const;

  LRSchedulerList schedulers_;
  std::vector<std::int64_t> milestones_;
};

/// Steps several schedulers at once. Each one changes the learning rates that the one before it
/// set.
class TERN_API ChainedScheduler : public LRScheduler {
 public:
  /// Throws Error if the list is empty and if the schedulers have different optimizers.
  explicit ChainedScheduler(LRSchedulerList schedulers);

  /// Steps every scheduler.
  void step() override;

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;
  void undo_initial_step() override;

 private:
  LRSchedulerList schedulers_;
};

/// Returns a scheduler whose learning rates rise in equal steps for `warmup_steps` and then fall to
/// `eta_min` along half a cosine until `total_steps`. Step t of the warm-up, from 0, has the share
/// (t + 1) / warmup_steps of the initial learning rates, so the last one has all of them. The
/// result is LinearLR and CosineAnnealingLR in a SequentialLR. Throws Error if warmup_steps is
/// negative or not below total_steps.
///
/// Example:
///   optim::SequentialLR scheduler = optim::warmup_cosine(optimizer, 100, 10000);
TERN_API SequentialLR warmup_cosine(Optimizer& optimizer, std::int64_t warmup_steps,
                                    std::int64_t total_steps, double eta_min = 0.0);

}  // namespace tern::optim
