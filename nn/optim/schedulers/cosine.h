#pragma once

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// Moves the learning rates from the initial ones to `eta_min` along half a cosine in T_max epochs,
/// then back up in the next T_max, and so on (Loshchilov and Hutter, 2017, without restarts).
class TERN_API CosineAnnealingLR : public LRScheduler {
 public:
  /// Throws Error if T_max is not positive.
  CosineAnnealingLR(Optimizer& optimizer, std::int64_t T_max, double eta_min = 0.0,
                    std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  std::vector<double> get_closed_form_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The epochs of half a period.
  std::int64_t T_max_;
  /// The lowest learning rate.
  double eta_min_;
};

/// Moves the learning rates from the initial ones to `eta_min` along half a cosine, then restarts.
/// The first run takes T_0 epochs, each later one T_mult times as many as the run before.
class TERN_API CosineAnnealingWarmRestarts : public LRScheduler {
 public:
  /// Throws Error if T_0 or T_mult is not positive.
  CosineAnnealingWarmRestarts(Optimizer& optimizer, std::int64_t T_0, std::int64_t T_mult = 1,
                              double eta_min = 0.0, std::int64_t last_epoch = -1);

  /// Sets the learning rates of the next epoch.
  void step() override;
  /// Sets the learning rates of any epoch, also between two. Throws Error if `epoch` is negative.
  ///
  /// Example:
  ///   scheduler.step(epoch + i / static_cast<double>(batches));  // after each batch
  void step(double epoch);

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The epochs of the first run.
  std::int64_t T_0_;
  /// The epochs of the current run.
  std::int64_t T_i_;
  /// The growth from run to run.
  std::int64_t T_mult_;
  /// The lowest learning rate.
  double eta_min_;
  /// The epochs since the last restart.
  double T_cur_;

 private:
  void go_to(std::int64_t epoch, double current, std::int64_t run);
};

}  // namespace tern::optim
