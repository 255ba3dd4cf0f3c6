#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <tern/nn/optim/schedulers/plateau.h>
#include <tern/nn/optim/schedulers/scheduler.h>
#include <tern/train/callback.h>
#include <tern/train/log/csv_log.h>

namespace tern::train {

/// Whether a smaller or a larger number is better. kAuto means kMin for names that contain "loss"
/// or "error" and kMax for names that contain "accuracy"; other names are an error.
enum class Mode : std::uint8_t { kAuto, kMin, kMax };

/// The best value so far of one of the numbers of an epoch.
class TERN_API Best {
 public:
  /// Watches the number with this name. Throws Error if the mode is kAuto and the name does not
  /// say what is better.
  Best(std::string monitor, Mode mode, double min_delta = 0);
  /// Takes the numbers of an epoch and returns true if they are better than the best by more than
  /// `min_delta`. NaN is never better. Throws IndexError if the number is missing.
  bool improves(const Numbers& numbers);
  /// Returns the best value; NaN before the first one.
  double value() const noexcept { return value_; }
  /// Forgets or sets the best value.
  void reset(double value);
  void reset();

 private:
  std::string monitor_;
  bool is_min_;
  double min_delta_;
  double value_;
};

/// Options of EarlyStop.
struct EarlyStopOptions {
  /// The number that should improve.
  std::string monitor = "val_loss";
  /// Whether smaller or larger is better.
  Mode mode = Mode::kAuto;
  /// The number of epochs in a row without improvement after which the training ends.
  std::int64_t patience = 3;
  /// Smaller improvements do not count.
  double min_delta = 0;
  /// True: at the end of fit() the model gets the parameters and buffers of its best epoch. They
  /// are part of checkpoints.
  bool restore_best = false;
};

/// Ends a training that no longer improves.
///
/// Example:
///   train::EarlyStop({.monitor = "val_accuracy", .patience = 5, .restore_best = true})
class TERN_API EarlyStop : public Callback {
 public:
  /// Throws Error for a patience below 1, a negative min_delta, and as Best does.
  explicit EarlyStop(EarlyStopOptions options = {});
  /// Throws Error if no epoch can have the monitored number.
  void check(const Run& run) const override;
  void on_fit_begin(Run& run) override;
  void on_epoch_begin(Run& run) override;
  void on_epoch_end(Run& run) override;
  void on_fit_end(Run& run) override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

 private:
  void stop_if_due(Run& run) const;

  EarlyStopOptions options_;
  Best best_;
  std::int64_t best_epoch_ = 0, bad_epochs_ = 0;
  State weights_;
};

/// Options of Checkpoint.
struct CheckpointOptions {
  /// A file for the weights of the best epoch, which tern::load(model, path) reads; none if empty.
  std::string best = {};
  /// The number that decides which epoch is the best.
  std::string monitor = "val_loss";
  /// Whether smaller or larger is better.
  Mode mode = Mode::kAuto;
  /// The number of epochs between two saves of the training.
  std::int64_t every_epochs = 1;
  /// The number of steps between two saves within an epoch; 0 for none. Needs a loader with a
  /// state.
  std::int64_t every_steps = 0;
  /// True: fit() continues from the file if it exists. A program that is killed and started again
  /// then goes on where it was.
  bool resume = false;
};

/// Saves the whole training, so that it can continue bit for bit: Options::resume or
/// CheckpointOptions::resume. The suffix of the file chooses the format. A file is replaced
/// completely or not at all. A training that is stopped within an epoch is saved there if the
/// loader has a state. With Options::process_group rank 0 writes, and an error is thrown on all.
///
/// Example:
///   train::Checkpoint("last.safetensors", {.best = "best.json", .resume = true})
class TERN_API Checkpoint : public Callback {
 public:
  /// Throws Error for an empty path, for numbers out of range, and as Best does.
  explicit Checkpoint(std::string path, CheckpointOptions options = {});
  /// Throws FileError if a folder is missing, Error if the loader has no state but needs one, and
  /// if no epoch can have the monitored number.
  void check(const Run& run) const override;
  void on_fit_begin(Run& run) override;
  void on_step_end(Run& run) override;
  void on_epoch_end(Run& run) override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;
  bool is_last() const override { return true; }

 private:
  static void write(const State& state, const std::string& path, const Run& run);

  std::string path_;
  CheckpointOptions options_;
  Best best_;
};

/// When a scheduler steps.
enum class Every : std::uint8_t { kEpoch, kStep };

/// Steps a learning rate scheduler after each epoch or after each step of the optimizer. A
/// scheduler that is a variable must outlive fit(); a temporary is moved into the Schedule.
///
/// Example:
///   train::Schedule(optim::warmup_cosine(adam, 100, 5000), train::Every::kStep)
///   train::Schedule(plateau, "val_loss")
class TERN_API Schedule : public Callback {
 public:
  /// Steps a scheduler.
  template <class S>
  requires std::is_base_of_v<optim::LRScheduler, std::remove_reference_t<S>>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no Schedule is a scheduler.
  explicit Schedule(S&& scheduler, Every every = Every::kEpoch)
      : scheduler_(hold(std::forward<S>(scheduler))), every_(every) {}
  /// Gives the number `monitor` of each epoch to a ReduceLROnPlateau.
  template <class S>
  requires std::is_same_v<optim::ReduceLROnPlateau, std::remove_reference_t<S>>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no Schedule is a scheduler.
  explicit Schedule(S&& scheduler, std::string monitor = "val_loss")
      : plateau_(hold(std::forward<S>(scheduler))), monitor_(std::move(monitor)) {}
  /// Throws Error for the scheduler of another optimizer, for a scheduler that another Schedule
  /// also steps, and if no epoch can have the monitored number.
  void check(const Run& run) const override;
  void on_step_end(Run& run) override;
  void on_epoch_end(Run& run) override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

 private:
  template <class S>
  static std::shared_ptr<std::remove_reference_t<S>> hold(S&& scheduler) {
    if constexpr (std::is_lvalue_reference_v<S>) {
      return {std::shared_ptr<void>(), &scheduler};
    } else {
      return std::make_shared<S>(std::forward<S>(scheduler));
    }
  }

  const void* target() const;

  std::shared_ptr<optim::LRScheduler> scheduler_;
  std::shared_ptr<optim::ReduceLROnPlateau> plateau_;
  std::string monitor_;
  Every every_ = Every::kEpoch;
};

/// Ends the training after a time, counted from the beginning of fit(), also within an epoch. With
/// Options::process_group all ranks stop when the time of one is over.
class TERN_API TimeLimit : public Callback {
 public:
  /// Throws Error unless `seconds` is positive.
  explicit TimeLimit(double seconds);
  void on_fit_begin(Run& run) override;
  void on_step_end(Run& run) override;

 private:
  double seconds_, start_ = 0;
};

/// Prints a line for each epoch: "epoch 2/5  loss 0.1402  lr 0.001  val_loss 0.1204  (3.1 s)".
class TERN_API Print : public Callback {
 public:
  /// Prints to a stream, which must outlive fit().
  explicit Print(std::ostream& out) : out_(&out) {}
  void on_epoch_begin(Run& run) override;
  void on_epoch_end(Run& run) override;
  bool is_report() const override { return true; }

 private:
  std::ostream* out_;
  double start_ = 0;
};

/// Writes the numbers of each epoch as a row of a CSV file with the columns "epoch" and those of
/// the first epoch. A training that continues from a checkpoint continues the file.
class TERN_API LogCsv : public Callback {
 public:
  /// Writes to `path`. An existing file is replaced at the end of epoch 1. Throws Error for an
  /// empty path.
  explicit LogCsv(std::string path);
  /// Throws FileError if the folder is missing.
  void check(const Run& run) const override;
  void on_fit_begin(Run& run) override;
  void on_epoch_end(Run& run) override;
  bool is_report() const override { return true; }

 private:
  std::string path_;
  std::shared_ptr<CsvLog> log_;
};

}  // namespace tern::train
