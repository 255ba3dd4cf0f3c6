#pragma once

#include <functional>
#include <string>

#include <tern/nn/optim/schedulers/scheduler.h>
#include <tern/nn/options/options_arg.h>

namespace tern::optim {

/// A factor as a function of the number of the cycle or the epoch.
using ScaleFunction = std::function<double(double)>;

/// Options of CyclicLR.
struct TERN_API CyclicLROptions {
  /// Sets the lowest and the highest learning rate.
  CyclicLROptions(PerGroup base_lr, PerGroup max_lr);
  /// The lowest learning rate.
  TERN_ARG(PerGroup, base_lr);
  /// The highest learning rate.
  TERN_ARG(PerGroup, max_lr);
  /// The number of steps up in a cycle.
  TERN_ARG(double, step_size_up) = 2000;
  /// The number of steps down in a cycle. Empty: as many as up.
  TERN_ARG(std::optional<double>, step_size_down);
  /// "triangular": every cycle has the same height. "triangular2": each cycle has half the height
  /// of the cycle before. "exp_range": the height is gamma^epoch.
  TERN_ARG(std::string, mode) = "triangular";
  /// The base of the mode "exp_range".
  TERN_ARG(double, gamma) = 1.0;
  /// Replaces the mode: returns the height of a cycle, from 0 to 1.
  TERN_ARG(ScaleFunction, scale_fn);
  /// The argument of scale_fn: "cycle" for the number of the cycle, from 1, or "iterations".
  TERN_ARG(std::string, scale_mode) = "cycle";
  /// True: momentum, or the first beta, moves against the learning rate.
  TERN_ARG(bool, cycle_momentum) = true;
  /// The lowest momentum.
  TERN_ARG(PerGroup, base_momentum) = 0.8;
  /// The highest momentum, which the first step has.
  TERN_ARG(PerGroup, max_momentum) = 0.9;
  /// The epoch after which the schedule continues; see LRScheduler.
  TERN_ARG(std::int64_t, last_epoch) = -1;
};

/// Moves the learning rates up and down between two bounds (Smith, 2017). Step it after each batch.
class TERN_API CyclicLR : public LRScheduler {
 public:
  /// Sets the learning rates to base_lr. Throws Error for an unknown mode, for a list of another
  /// length than the groups, and for cycle_momentum if the optimizer has no momentum.
  CyclicLR(Optimizer& optimizer, const CyclicLROptions& options);

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The highest learning rate of each group.
  std::vector<double> max_lrs_;
  /// The steps of a cycle.
  double total_size_;
  /// The share of the steps that go up.
  double step_ratio_;
  /// The option mode.
  std::string mode_;
  /// The option gamma.
  double gamma_;
  /// The option scale_fn.
  ScaleFunction scale_fn_;
  /// The option scale_mode.
  std::string scale_mode_;
  /// The option cycle_momentum.
  bool cycle_momentum_;
  /// The lowest momentum of each group.
  std::vector<double> base_momentums_;
  /// The highest momentum of each group.
  std::vector<double> max_momentums_;

 private:
  double scale(double x) const;
};

/// Options of OneCycleLR. Set either total_steps, or epochs and steps_per_epoch.
struct TERN_API OneCycleLROptions {
  /// Sets the highest learning rate.
  OneCycleLROptions(PerGroup max_lr);
  /// The highest learning rate.
  TERN_ARG(PerGroup, max_lr);
  /// The number of steps of the cycle.
  TERN_ARG(std::optional<std::int64_t>, total_steps);
  /// The number of epochs.
  TERN_ARG(std::optional<std::int64_t>, epochs);
  /// The number of steps in an epoch.
  TERN_ARG(std::optional<std::int64_t>, steps_per_epoch);
  /// The share of the steps in which the learning rate rises.
  TERN_ARG(double, pct_start) = 0.3;
  /// The curve: "cos" or "linear".
  TERN_ARG(std::string, anneal_strategy) = "cos";
  /// True: momentum, or the first beta, moves against the learning rate.
  TERN_ARG(bool, cycle_momentum) = true;
  /// The lowest momentum.
  TERN_ARG(PerGroup, base_momentum) = 0.85;
  /// The highest momentum, which the first step has.
  TERN_ARG(PerGroup, max_momentum) = 0.95;
  /// The first learning rate is max_lr / div_factor.
  TERN_ARG(double, div_factor) = 25.0;
  /// The last learning rate is the first one / final_div_factor.
  TERN_ARG(double, final_div_factor) = 1e4;
  /// True: the learning rate falls to the first one in as many steps as it rose, and then to the
  /// last one. False: it falls directly to the last one.
  TERN_ARG(bool, three_phase) = false;
  /// The epoch after which the schedule continues; see LRScheduler.
  TERN_ARG(std::int64_t, last_epoch) = -1;
};

/// Moves the learning rates up once and then down to almost 0 (Smith and Topin, 2018). Step it
/// after each batch. The learning rates and momenta of the phases are in the groups of the
/// optimizer.
///
/// Example:
///   optim::OneCycleLR scheduler(optimizer, optim::OneCycleLROptions(0.1).total_steps(1000));
class TERN_API OneCycleLR : public LRScheduler {
 public:
  /// Throws Error for numbers of steps that are missing or not positive, a pct_start that is not
  /// between 0 and 1, an unknown curve, a list of another length than the groups, and for
  /// cycle_momentum if the optimizer has no momentum.
  OneCycleLR(Optimizer& optimizer, const OneCycleLROptions& options);

 protected:
  /// Throws Error after total_steps steps.
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// A part of the cycle. Starts and ends are names of numbers in OptimizerParamGroup::schedule().
  struct Phase {
    /// The last step of the part.
    double end_step;
    /// The learning rate of its first step.
    std::string start_lr;
    /// The learning rate of its last step.
    std::string end_lr;
    /// The momentum of its first step.
    std::string start_momentum;
    /// The momentum of its last step.
    std::string end_momentum;
  };

  /// The number of steps.
  std::int64_t total_steps_;
  /// The phases in order.
  std::vector<Phase> phases_;
  /// The option anneal_strategy.
  std::string anneal_strategy_;
  /// The option cycle_momentum.
  bool cycle_momentum_;

 private:
  double anneal(double start, double end, double share) const;
};

}  // namespace tern::optim
