#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include <tern/nn/optim/optimizer.h>
#include <tern/nn/optim/schedulers/fields.h>

namespace tern::optim {

/// A number for all parameter groups, or a list with a number for each group.
class TERN_API PerGroup {
 public:
  /// Takes one number for all groups.
  PerGroup(double number);
  /// Takes a number for each group.
  PerGroup(std::initializer_list<double> numbers);
  PerGroup(std::vector<double> numbers);
  PerGroup(const std::vector<float>& numbers);

  /// Returns a number for each group of the optimizer. Throws Error if a list has another length;
  /// the error text contains `name`.
  std::vector<double> expand(const char* name, const Optimizer& optimizer) const;
  /// Returns the numbers as they were given.
  const std::vector<double>& numbers() const noexcept { return numbers_; }
  /// Returns true if a list was given.
  bool is_list() const noexcept { return is_list_; }

 private:
  std::vector<double> numbers_;
  bool is_list_ = false;
};

namespace detail {

/// A reference to the optimizer of a scheduler. It follows an optimizer that is moved.
class TERN_API ScheduledOptimizer {
 public:
  explicit ScheduledOptimizer(Optimizer& optimizer) : optimizer_(optimizer.handle()) {}
  /// Returns the optimizer. Throws Error if it was destroyed.
  Optimizer& get() const;
  /// Returns the learning rate of each group.
  std::vector<double> lrs() const;
  /// Sets the learning rate of each group.
  void set_lrs(const std::vector<double>& lrs) const;

 private:
  std::weak_ptr<Optimizer*> optimizer_;
};

}  // namespace detail

/// Base of the learning rate schedulers. A scheduler sets the learning rates of an optimizer: the
/// constructor those of epoch 0, each step() those of the next epoch. The formulas, and the numbers
/// to the last bit, are Python's.
///
/// What an epoch is, the program decides: a scheduler may step after each epoch or after each
/// batch. The optimizer must live as long as the scheduler steps; it may be moved.
///
/// Example:
///   optim::StepLR scheduler(optimizer, 30, 0.1);
///   for (int epoch = 0; epoch < 90; ++epoch) {
///     train(model, optimizer);
///     scheduler.step();
///   }
class TERN_API LRScheduler {
 public:
  /// Remembers the learning rates of all groups as their initial ones, unless an earlier scheduler
  /// did so. With a `last_epoch` of 0 or more the schedule continues after that epoch; every group
  /// needs an "initial_lr" then, and Error is thrown without it.
  explicit LRScheduler(Optimizer& optimizer, std::int64_t last_epoch = -1);
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;
  /// Takes over the schedule.
  LRScheduler(LRScheduler&&) = default;
  /// Takes over the schedule.
  LRScheduler& operator=(LRScheduler&&) = default;
  /// Frees the scheduler; the optimizer stays as it is. If a constructor failed, the groups forget
  /// the initial learning rates that it stored.
  virtual ~LRScheduler();

  /// Sets the learning rates of the next epoch. Throws Error if the optimizer was destroyed or has
  /// other groups than at the construction. After an error nothing has changed.
  virtual void step();
  /// Returns the learning rates that the scheduler set last, one for each group.
  const std::vector<double>& get_last_lr() const noexcept { return last_lr_; }
  /// Returns the number of the current epoch, from 0.
  std::int64_t last_epoch() const noexcept { return last_epoch_; }
  /// Returns the optimizer. Throws Error if it was destroyed.
  Optimizer& optimizer() const { return optimizer_.get(); }

  /// Returns the members under Python's names. The learning rates themselves are in the state of
  /// the optimizer.
  State state_dict() const;
  /// Replaces the members by those of `state`. Throws if a member is missing, has another kind or
  /// does not fit; then nothing has changed.
  void load_state_dict(const State& state);

 protected:
  /// Returns the learning rates of epoch last_epoch_. Most schedulers compute them from the current
  /// ones, so that several schedulers can act on one optimizer.
  virtual std::vector<double> get_lrs() = 0;
  /// Returns the same from the initial learning rates alone, where the scheduler can.
  virtual std::vector<double> get_closed_form_lrs() { return get_lrs(); }
  /// Names every member for saving and loading.
  virtual void fields(SchedulerFields& visit);
  /// Undoes the count of the step in the constructor, before SequentialLR starts the scheduler.
  virtual void undo_initial_step() { --last_epoch_; }

  /// Sets the learning rates of the first epoch. Constructors of derived classes call this last.
  void initial_step();
  /// Returns the current learning rate of each group.
  std::vector<double> get_current_lrs() const { return optimizer_.lrs(); }
  /// Returns the current learning rates times `factor`.
  std::vector<double> scaled_lrs(double factor) const;
  /// Goes to `epoch` and sets its learning rates by the closed form; goes to the next epoch and
  /// sets its learning rates if `epoch` is empty.
  void update_lr(std::optional<std::int64_t> epoch = std::nullopt);

  /// The number of the epoch, from 0; -1 before the first one.
  std::int64_t last_epoch_;
  /// The number of calls of step(), the constructor's included.
  std::int64_t step_count_ = 0;
  /// True during the step in the constructor.
  bool is_initial_ = false;
  /// The learning rate of each group at the start.
  std::vector<double> base_lrs_;
  /// The learning rates that were set last.
  std::vector<double> last_lr_;

 private:
  friend class SequentialLR;
  friend class ChainedScheduler;

  detail::ScheduledOptimizer optimizer_;
  // The groups that got their "initial_lr" from a constructor that has not ended.
  std::vector<std::size_t> marked_groups_;
};

}  // namespace tern::optim
