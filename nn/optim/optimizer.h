#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/optim/options.h>
#include <tern/nn/optim/param_state.h>

namespace tern::optim {

/// Parameters with options of their own; without any they follow the optimizer's defaults.
class TERN_API OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup& other);
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(const OptimizerParamGroup&) = delete;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;
  ~OptimizerParamGroup() = default;

  bool has_options() const noexcept { return options_ != nullptr; }
  OptimizerOptions& options() { return *checked_options(); }
  const OptimizerOptions& options() const { return *checked_options(); }
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  std::vector<Tensor>& params() noexcept { return params_; }
  const std::vector<Tensor>& params() const noexcept { return params_; }

 private:
  OptimizerOptions* checked_options() const;

  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

/// Base of all optimizers: changes parameters in place by their gradients.
///
/// Example:
///   optim::Adam optimizer(model->parameters(), optim::AdamOptions(1e-3));
///   optimizer.zero_grad();
///   loss.backward();
///   optimizer.step();
///
/// Parameters may move while an optimizer has them: step() moves its state after them.
class TERN_API Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;
  /// Keyed by Tensor::unsafeGetTensorImpl().
  using StateMap = std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>;

  /// Throws Error when there are no parameters, and as add_param_group does.
  Optimizer(std::vector<OptimizerParamGroup> param_groups,
            std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults);
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  Optimizer(Optimizer&&) noexcept;
  Optimizer& operator=(Optimizer&&) noexcept;
  virtual ~Optimizer();

  /// Takes on more parameters. Options that the group does not set come from the defaults. Throws
  /// Error for a tensor that is no leaf or that the optimizer already has, and for options out of
  /// range.
  void add_param_group(OptimizerParamGroup group);

  /// Changes every parameter that has a gradient. A closure is called first, with gradients
  /// enabled, and its result returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;

  /// Forgets all gradients, or fills them with zeros.
  void zero_grad(bool set_to_none = true);

  /// The parameters of the first group.
  std::vector<Tensor>& parameters() { return param_groups_.at(0).params(); }
  const std::vector<Tensor>& parameters() const { return param_groups_.at(0).params(); }
  void add_parameters(const std::vector<Tensor>& parameters) { add_param_group({parameters}); }
  /// How many parameters there are in all groups.
  std::size_t size() const noexcept;

  OptimizerOptions& defaults() noexcept { return *defaults_; }
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  StateMap& state() noexcept { return state_; }
  const StateMap& state() const noexcept { return state_; }

  /// {"state": {"0": {..}, ..}, "param_groups": [{"lr": .., "params": [0, ..]}, ..]}: Python's
  /// form, the parameters numbered across groups. Its tensors share their elements.
  State state_dict() const;
  /// Replaces state and options by those of `state`, which is copied. Everything is checked first:
  /// on an error the optimizer is unchanged. Throws Error when groups or sizes differ, for the
  /// state of a parameter in no group, and for one that no step can go on from.
  void load_state_dict(const State& state);

 protected:
  /// A fresh state for one parameter; null (the default) when this optimizer remembers nothing.
  virtual std::unique_ptr<OptimizerParamState> make_param_state() const;
  /// The state of a parameter, made when there is none.
  OptimizerParamState& state_of(const Tensor& parameter);
  /// Says where the optimizer is as long as it lives, also after it was moved.
  std::weak_ptr<Optimizer*> handle();

  std::vector<OptimizerParamGroup> param_groups_;
  StateMap state_;
  std::unique_ptr<OptimizerOptions> defaults_;

 private:
  std::shared_ptr<Optimizer*> self_;  // made when a handle is asked for
};

}  // namespace tern::optim
