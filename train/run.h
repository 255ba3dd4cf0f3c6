#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/distributed/process_group.h>
#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/module.h>
#include <tern/nn/optim/optimizer.h>
#include <tern/train/history.h>

namespace tern::train {

class Callback;
class Loader;
class Run;
struct Options;

namespace detail {
class Batches;
class Ranks;

/// What one batch gives.
struct BatchResult {
  Tensor loss;
  Tensor output, target;  // undefined if the program computes the loss itself
  std::int64_t size = 1;
};
/// Computes the loss of a batch of a type that the function knows.
using BatchFunction = std::function<BatchResult(const void* batch)>;

TERN_API History fit(std::shared_ptr<nn::Module> model, const Loader& loader,
                     optim::Optimizer& optimizer, BatchFunction function, const Options& options);
}  // namespace detail

/// A training in progress: what callbacks see and change.
class TERN_API Run {
 public:
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  /// Ends the run.
  ~Run();

  /// Returns the model.
  nn::Module& model() const noexcept { return *model_; }
  /// Returns the optimizer.
  optim::Optimizer& optimizer() const noexcept { return optimizer_; }
  /// Returns the options of fit().
  const Options& options() const noexcept { return options_; }
  /// Returns the ranks that train together: those of Options::process_group, or this process alone.
  const distributed::ProcessGroup& process_group() const noexcept;
  /// Calls a function on rank 0 while the other ranks wait, such as one that writes a file. All
  /// ranks must call this. If the function throws, throws on all.
  void on_rank_0(const std::function<void()>& function) const;
  /// Calls a function on every rank. All must call this. If it throws on some, throws on all.
  void on_every_rank(const std::function<void()>& function) const;
  /// Returns the number of the current epoch, from 1; 0 before the first one.
  std::int64_t epoch() const noexcept { return epoch_; }
  /// Returns the number of steps of the optimizer, from the beginning of the training.
  std::int64_t step() const noexcept { return step_; }
  /// Returns the number of batches of the current epoch so far.
  std::int64_t batch() const noexcept { return batch_; }
  /// Returns the loss of the last batch.
  double loss() const noexcept { return loss_; }
  /// Returns the mean loss over the examples of the current epoch so far.
  double mean_loss() const noexcept { return total_ / weight_; }
  /// Returns the numbers of the current epoch: those given to log(), and at its end "loss", the
  /// metrics, "lr", and with a validation loader "val_loss" and the metrics again.
  const Numbers& numbers() const noexcept { return numbers_; }
  /// Adds a number to the current epoch, or replaces it.
  void log(std::string_view name, double value);
  /// Returns the numbers of the complete epochs; at the end of an epoch also those of this one.
  const History& history() const noexcept { return history_; }

  /// Ends the training after the current step, or after the current epoch if called at its end.
  /// An epoch that is not complete has no numbers in the history. If one rank calls it, all stop.
  void stop(std::string reason = "stop() was called");
  /// Returns true after stop() and after the last step.
  bool is_stopping() const noexcept { return is_stopping_; }
  /// Returns true while batches of the current epoch remain.
  bool in_epoch() const noexcept { return in_epoch_; }

  /// Returns true if the loader has a state, so that the training can be saved within an epoch.
  bool has_loader_state() const;

  /// Returns all that is needed to continue bit for bit: the states of model, optimizer, scaler,
  /// callbacks, loader and generators, and the numbers so far. With several ranks all must call it;
  /// rank 0 gets the loaders and generators of all. Throws Error within an epoch if the loader has
  /// no state.
  State state_dict() const;
  /// Continues from a state. Throws Error, which names the part that does not fit; then nothing has
  /// changed.
  void load_state_dict(const State& state);

 private:
  friend History detail::fit(std::shared_ptr<nn::Module> model, const Loader& loader,
                             optim::Optimizer& optimizer, detail::BatchFunction function,
                             const Options& options);
  struct Part;

  Run(std::shared_ptr<nn::Module> model, detail::Batches& loader, optim::Optimizer& optimizer,
      detail::BatchFunction function, const Options& options);

  void train();
  void train_epoch();
  void train_batch(const void* batch);
  void check_gradients();
  bool goes_on(const void* batch);
  void step_optimizer();
  void end_epoch();
  void call(void (Callback::*event)(Run&), bool is_last);
  void call(void (Callback::*event)(Run&));
  void check_callbacks() const;
  std::vector<Part> parts() const;
  State progress() const;
  void load_progress(const State& state);
  State callback_states() const;
  void load_callback_states(const State& state);

  std::shared_ptr<nn::Module> model_;
  std::unique_ptr<detail::Ranks> ranks_;
  detail::Batches& loader_;
  optim::Optimizer& optimizer_;
  detail::BatchFunction function_;
  const Options& options_;
  std::vector<Callback*> callbacks_;
  std::int64_t epoch_ = 0, step_ = 0, batch_ = 0;
  std::int64_t pending_ = 0;  // batches whose gradients wait for a step
  std::int64_t skipped_ = 0;
  double loss_ = 0, total_ = 0, weight_ = 0;
  bool in_epoch_ = false, is_stopping_ = false, has_row_ = false, has_gradients_ = false;
  Numbers numbers_;
  History history_;
};

}  // namespace tern::train
