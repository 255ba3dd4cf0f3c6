#pragma once

#include <vector>

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// Multiplies the learning rates by `gamma` every `step_size` epochs.
class TERN_API StepLR : public LRScheduler {
 public:
  /// Throws Error if step_size is not positive.
  StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma = 0.1,
         std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The epochs between two changes.
  std::int64_t step_size_;
  /// The factor.
  double gamma_;
};

/// Multiplies the learning rates by `gamma` at each milestone.
class TERN_API MultiStepLR : public LRScheduler {
 public:
  /// `milestones` are epochs; one that is listed twice counts twice.
  MultiStepLR(Optimizer& optimizer, const std::vector<std::int64_t>& milestones, double gamma = 0.1,
              std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The milestones in ascending order.
  std::vector<std::int64_t> milestones_;
  /// How often each of them was listed.
  std::vector<std::int64_t> counts_;
  /// The factor.
  double gamma_;
};

/// Multiplies the learning rates by `gamma` every epoch.
class TERN_API ExponentialLR : public LRScheduler {
 public:
  /// Sets the factor.
  ExponentialLR(Optimizer& optimizer, double gamma, std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The factor.
  double gamma_;
};

}  // namespace tern::optim
