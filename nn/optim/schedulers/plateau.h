#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// Reduces the learning rates when a metric, such as the validation loss, has stopped improving.
/// step() takes the metric, so this class is no LRScheduler.
///
/// Example:
///   optim::ReduceLROnPlateau scheduler(optimizer, optim::ReduceLROnPlateau::min, 0.5, 5);
///   scheduler.step(validation_loss);  // after each epoch
class TERN_API ReduceLROnPlateau {
 public:
  /// Whether a smaller or a larger metric is better.
  enum SchedulerMode : std::uint8_t { min, max };
  /// Whether `threshold` is a share of the best metric or a difference to it.
  enum ThresholdMode : std::uint8_t { rel, abs };

  /// The learning rates are multiplied by `factor` after more than `patience` epochs in a row
  /// without a metric that is better by `threshold`, but never fall below `min_lr`. A change of
  /// less than `eps` is not made. After a reduction, `cooldown` epochs do not count. An empty list
  /// `min_lr` is no bound. Throws Error unless factor is from 0 to below 1, for a negative patience
  /// or cooldown, and for `verbose`, because the library never prints.
  explicit ReduceLROnPlateau(Optimizer& optimizer, SchedulerMode mode = min, double factor = 0.1,
                             std::int64_t patience = 10, double threshold = 1e-4,
                             ThresholdMode threshold_mode = rel, std::int64_t cooldown = 0,
                             const PerGroup& min_lr = 0.0, double eps = 1e-8,
                             StrictBool verbose = false);

  /// Takes the metric of an epoch.
  void step(double metric);
  /// Returns the current learning rates, one for each group.
  const std::vector<double>& get_last_lr() const noexcept { return last_lr_; }
  /// Returns the number of metrics so far.
  std::int64_t last_epoch() const noexcept { return last_epoch_; }

  /// Returns the optimizer. Throws Error if it was destroyed.
  Optimizer& optimizer() const { return optimizer_.get(); }

  /// Returns the members under Python's names.
  State state_dict() const;
  /// Replaces the members by those of `state`. Throws if a member is missing, has another kind or
  /// does not fit; then nothing has changed.
  void load_state_dict(const State& state);

 private:
  void fields(SchedulerFields& visit);
  bool is_better(double metric) const;

  detail::ScheduledOptimizer optimizer_;
  SchedulerMode mode_;
  double factor_;
  std::int64_t patience_;
  double threshold_;
  ThresholdMode threshold_mode_;
  std::int64_t cooldown_;
  std::vector<double> min_lrs_;
  bool has_min_lr_list_;
  double eps_;
  double best_;
  std::int64_t cooldown_counter_ = 0;
  std::int64_t num_bad_epochs_ = 0;
  std::int64_t last_epoch_ = 0;
  std::vector<double> last_lr_;
};

/// The name of ReduceLROnPlateau in libtorch.
using ReduceLROnPlateauScheduler = ReduceLROnPlateau;

}  // namespace tern::optim
