#pragma once

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// Multiplies the initial learning rates by `factor` in the first `total_iters` epochs.
class TERN_API ConstantLR : public LRScheduler {
 public:
  /// Throws Error if factor is not between 0 and 1.
  explicit ConstantLR(Optimizer& optimizer, double factor = 1.0 / 3, std::int64_t total_iters = 5,
                      std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The factor of the first epochs.
  double factor_;
  /// The number of these epochs.
  std::int64_t total_iters_;
};

/// Changes the factor of the initial learning rates from `start_factor` to `end_factor` in equal
/// steps over `total_iters` epochs.
class TERN_API LinearLR : public LRScheduler {
 public:
  /// Throws Error if a factor is not between 0 and 1, or if start_factor is 0.
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1.0,
                    std::int64_t total_iters = 5, std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The factor of epoch 0.
  double start_factor_;
  /// The factor from epoch total_iters on.
  double end_factor_;
  /// The number of steps.
  std::int64_t total_iters_;
};

/// Multiplies the initial learning rates by (1 - epoch / total_iters)^power.
class TERN_API PolynomialLR : public LRScheduler {
 public:
  /// Sets the number of epochs until 0 and the power.
  explicit PolynomialLR(Optimizer& optimizer, std::int64_t total_iters = 5, double power = 1.0,
                        std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The number of epochs until the learning rates are 0.
  std::int64_t total_iters_;
  /// The power.
  double power_;
};

}  // namespace tern::optim
