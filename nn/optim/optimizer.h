#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tern/core/base/own_ptr.h>
#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/optim/options.h>
#include <tern/nn/optim/param_state.h>

namespace tern::optim {

namespace detail {
class GroupStep;
class ScheduledOptimizer;
}  // namespace detail

/// Parameters with their own options. A group without options uses the optimizer's defaults.
///
/// Example:
///   std::vector<optim::OptimizerParamGroup> groups;
///   groups.emplace_back(encoder->parameters());
///   groups.emplace_back(decoder->parameters(), std::make_unique<optim::AdamOptions>(1e-4));
///   optim::Adam optimizer(groups, optim::AdamOptions(1e-3));
class TERN_API OptimizerParamGroup {
 public:
  /// Groups parameters, optionally with options.
  OptimizerParamGroup(std::vector<Tensor> params);
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options);
  /// Copies the handles of the parameters and the options.
  OptimizerParamGroup(const OptimizerParamGroup& other);
  /// Takes over parameters and options.
  OptimizerParamGroup(OptimizerParamGroup&&) noexcept;
  OptimizerParamGroup& operator=(const OptimizerParamGroup&) = delete;
  /// Takes over parameters and options.
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) noexcept;
  ~OptimizerParamGroup();

  /// Returns true if the group has options. A group of an optimizer always has options.
  bool has_options() const noexcept { return options_ != nullptr; }
  /// Returns the options. Throws Error if the group has none.
  OptimizerOptions& options() { return *checked_options(); }
  const OptimizerOptions& options() const { return *checked_options(); }
  /// Replaces the options.
  void set_options(std::unique_ptr<OptimizerOptions> options);
  /// Returns the parameters.
  std::vector<Tensor>& params() noexcept { return params_; }
  const std::vector<Tensor>& params() const noexcept { return params_; }
  /// Returns the numbers that schedulers store with a group, such as "initial_lr", under any name
  /// that no option has. state_dict() contains them, load_state_dict() brings all of them back.
  State& schedule() noexcept { return schedule_; }
  const State& schedule() const noexcept { return schedule_; }

 private:
  OptimizerOptions* checked_options() const;

  std::vector<Tensor> params_;
  OwnPtr<OptimizerOptions> options_;
  State schedule_;
};

/// Base of all optimizers, which change parameters in place by their gradients.
///
/// Parameters may move to another device while an optimizer has them. step() then moves its state
/// to the same device.
///
/// Example:
///   optim::Adam optimizer(model->parameters(), optim::AdamOptions(1e-3));
///   optimizer.zero_grad();
///   loss.backward();
///   optimizer.step();
class TERN_API Optimizer {
 public:
  /// A function that computes the loss and its gradients again.
  using LossClosure = std::function<Tensor()>;
  /// The state of each parameter, keyed by Tensor::unsafeGetTensorImpl().
  using StateMap = std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>;

  /// Optimizes the parameters or groups of parameters. Throws Error if there are no parameters, and
  /// like add_param_group().
  Optimizer(std::vector<OptimizerParamGroup> param_groups,
            std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  /// Takes over parameters, options and state.
  Optimizer(Optimizer&&) noexcept;
  /// Takes over parameters, options and state.
  Optimizer& operator=(Optimizer&&) noexcept;
  /// Frees the state.
  virtual ~Optimizer();

  /// Adds parameters. Options that the group does not set come from the defaults. Throws Error for
  /// a tensor that is not a leaf or that the optimizer already has, and for options out of range.
  void add_param_group(OptimizerParamGroup group);

  /// Changes every parameter that has a gradient. If a closure is given, calls it first with
  /// gradients enabled and returns its result.
  virtual Tensor step(LossClosure closure = nullptr) = 0;

  /// Removes all gradients, or fills them with zeros.
  void zero_grad(StrictBool set_to_none = true);

  /// Returns the parameters of the first group.
  std::vector<Tensor>& parameters();
  const std::vector<Tensor>& parameters() const;
  /// Adds a group with the default options; see add_param_group().
  void add_parameters(const std::vector<Tensor>& parameters);
  /// Returns the number of parameters in all groups.
  std::size_t size() const noexcept;

  /// Returns the learning rate of the groups. Throws Error if their learning rates differ.
  double lr() const;
  /// Sets the learning rate of all groups. Throws Error, with nothing changed, for a negative one.
  void set_lr(double lr);

  /// Returns the options of groups without options of their own.
  OptimizerOptions& defaults() noexcept { return *defaults_; }
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }
  /// Returns the groups.
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  /// Returns the state of each parameter.
  StateMap& state() noexcept;
  const StateMap& state() const noexcept;

  /// Returns state and options in Python's form, with the parameters numbered across groups:
  /// {"state": {"0": {..}, ..}, "param_groups": [{"lr": .., "params": [0, ..]}, ..]}. The tensors
  /// share their elements with the optimizer.
  State state_dict() const;
  /// Replaces state and options by a copy of `state`. After an error the optimizer is unchanged.
  /// Throws Error if groups or sizes differ, for the state of a parameter in no group, and for a
  /// state from which step() cannot continue. States of PyTorch 1.0 and later are read; options
  /// that they lack get their defaults.
  void load_state_dict(const State& state);
  /// Writes state_dict() to an archive as libtorch does; torch::save() of programs for libtorch
  /// calls it.
  virtual void save(serialize::OutputArchive& archive) const;
  /// Reads an archive with load_state_dict().
  virtual void load(serialize::InputArchive& archive);

 protected:
  /// Returns a fresh state for one parameter; null (the default) for an optimizer without state.
  virtual std::unique_ptr<OptimizerParamState> make_param_state() const;
  /// Returns the state of a parameter. Makes a new state if the parameter has none.
  OptimizerParamState& state_of(const Tensor& parameter);
  /// Returns a pointer that follows the optimizer when it is moved and expires with it.
  std::weak_ptr<Optimizer*> handle();

  /// The groups.
  std::vector<OptimizerParamGroup> param_groups_;
  /// The state of each parameter.
  OwnPtr<StateMap> state_;  // a pointer, so that programs compile no map
  /// The default options.
  OwnPtr<OptimizerOptions> defaults_;

 private:
  friend class detail::GroupStep;
  friend class detail::ScheduledOptimizer;

  std::shared_ptr<Optimizer*> self_;  // null until the first handle()
};

}  // namespace tern::optim
