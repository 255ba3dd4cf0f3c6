#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <tern/nn/optim/schedulers/plateau.h>
#include <tern/nn/optim/schedulers/scheduler.h>
#include <tern/train/run.h>

namespace tern::train {

/// What happens beside the loop of fit(): derive from this class and override what you need. All
/// functions do nothing by default. An exception thrown by a callback ends fit().
///
/// Example:
///   struct Announce : train::Callback {
///     void on_epoch_end(train::Run& run) override { std::cout << run.numbers() << "\n"; }
///   };
class TERN_API Callback {
 public:
  /// Frees the callback.
  virtual ~Callback();
  /// Called before all other functions of all callbacks. Throws Error if the callback cannot take
  /// part in this training; then nothing has changed.
  virtual void check(const Run& run) const;
  /// Called before the first epoch.
  virtual void on_fit_begin(Run& run);
  /// Called before the first batch of an epoch; not if training continues in the middle of one.
  virtual void on_epoch_begin(Run& run);
  /// Called after every step of the optimizer.
  virtual void on_step_end(Run& run);
  /// Called after an epoch and its validation; Run::numbers() has the numbers of the epoch.
  virtual void on_epoch_end(Run& run);
  /// Called after the last epoch, but not after an exception.
  virtual void on_fit_end(Run& run);

  /// Returns what a checkpoint stores of the callback; empty by default.
  virtual State state_dict() const;
  /// Continues from a state.
  virtual void load_state_dict(const State& state);
  /// Returns true for a callback that runs after all others, because it saves their states.
  virtual bool is_last() const { return false; }
  /// Returns true for a callback that only reports: with Options::process_group it is called on
  /// rank 0 alone. All others are called on every rank, and must do the same there.
  virtual bool is_report() const { return false; }
};

/// A callback of any class, or a function of a Run that is called after each epoch. A callback that
/// is a variable is referred to and must outlive fit(); a temporary is moved into the AnyCallback.
///
/// Example:
///   train::Options options{.epochs = 5, .callbacks = {train::TimeLimit(60), [](train::Run& run) {
///     if (run.numbers()["loss"] < 0.1) run.stop("good enough");
///   }}};
class TERN_API AnyCallback {
 public:
  /// Refers to a callback, or takes over a temporary one.
  template <std::derived_from<Callback> C>
  AnyCallback(C& callback) : callback_(std::shared_ptr<void>(), &callback) {}
  template <std::derived_from<Callback> C>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no AnyCallback is a Callback.
  AnyCallback(C&& callback) : callback_(std::make_shared<C>(std::forward<C>(callback))) {}
  /// Shares a callback. Throws Error for a null pointer.
  template <std::derived_from<Callback> C>
  AnyCallback(std::shared_ptr<C> callback) : callback_(std::move(callback)) {
    check();
  }
  /// Calls a function after each epoch.
  template <class F>
  requires std::is_invocable_v<F&, Run&> AnyCallback(F function)
      : AnyCallback(after_each_epoch(std::move(function))) {}

  /// Reports a scheduler without a Schedule.
  template <class S>
  requires(std::derived_from<std::remove_cvref_t<S>, optim::LRScheduler> ||
           std::is_same_v<std::remove_cvref_t<S>, optim::ReduceLROnPlateau>)
      AnyCallback(S&& /*scheduler*/) {  // NOLINT(bugprone-forwarding-reference-overload): fails
    static_assert(std::is_void_v<S>,
                  "A scheduler becomes a callback by train::Schedule(scheduler), "
                  "train::Schedule(scheduler, train::Every::kStep) or, with the number that a "
                  "ReduceLROnPlateau watches, train::Schedule(plateau, \"val_loss\").");
  }

  /// Returns the callback.
  Callback& operator*() const { return *callback_; }
  /// Accesses the callback.
  Callback* operator->() const { return callback_.get(); }

 private:
  static std::shared_ptr<Callback> after_each_epoch(std::function<void(Run&)> function);
  void check() const;

  std::shared_ptr<Callback> callback_;
};

}  // namespace tern::train
