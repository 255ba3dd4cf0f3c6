#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/detail/type_name.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/optimizer.h>

namespace tern::optim {

OptimizerParamGroup::OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
OptimizerParamGroup::OptimizerParamGroup(std::vector<Tensor> params,
                                         std::unique_ptr<OptimizerOptions> options)
    : params_(std::move(params)), options_(std::move(options)) {}
OptimizerParamGroup::OptimizerParamGroup(OptimizerParamGroup&&) noexcept = default;
OptimizerParamGroup& OptimizerParamGroup::operator=(OptimizerParamGroup&&) noexcept = default;
OptimizerParamGroup::~OptimizerParamGroup() = default;

void OptimizerParamGroup::set_options(std::unique_ptr<OptimizerOptions> options) {
  options_ = std::move(options);
}

Optimizer::~Optimizer() = default;

Optimizer::Optimizer(Optimizer&& other) noexcept : state_(std::make_unique<StateMap>()) {
  *this = std::move(other);
}

Optimizer& Optimizer::operator=(Optimizer&& other) noexcept {
  param_groups_ = std::move(other.param_groups_);
  state_->clear();
  std::swap(state_, other.state_);  // both stay usable
  defaults_ = std::move(other.defaults_);
  self_ = std::move(other.self_);
  if (self_) *self_ = this;
  return *this;
}

std::vector<Tensor>& Optimizer::parameters() { return param_groups_.at(0).params(); }

const std::vector<Tensor>& Optimizer::parameters() const { return param_groups_.at(0).params(); }

void Optimizer::add_parameters(const std::vector<Tensor>& parameters) {
  add_param_group({parameters});
  if (!tern::detail::as_libtorch) return;
  const std::vector<Tensor> added = std::move(param_groups_.back().params());
  param_groups_.pop_back();
  std::vector<Tensor>& first = param_groups_.at(0).params();
  first.insert(first.end(), added.begin(), added.end());
}

Optimizer::StateMap& Optimizer::state() noexcept { return *state_; }

const Optimizer::StateMap& Optimizer::state() const noexcept { return *state_; }

std::weak_ptr<Optimizer*> Optimizer::handle() {
  if (!self_) self_ = std::make_shared<Optimizer*>(this);
  return self_;
}

// --- Groups --------------------------------------------------------------------------------------

OptimizerParamGroup::OptimizerParamGroup(const OptimizerParamGroup& other)
    : params_(other.params_),
      options_(other.options_ ? other.options_->clone() : nullptr),
      schedule_(other.schedule_) {}

OptimizerOptions* OptimizerParamGroup::checked_options() const {
  TERN_CHECK(options_ != nullptr, Error, "the parameter group has no options");
  return options_.get();
}

namespace {

/// Returns "Adam" for AdamOptions. The constructor of Optimizer cannot see the derived class.
std::string optimizer_name(const OptimizerOptions& options) {
  std::string name = tern::detail::type_name(typeid(options));
  if (name.ends_with("Options")) name.resize(name.size() - std::string_view("Options").size());
  return name.substr(name.rfind(':') + 1);
}

}  // namespace

Optimizer::Optimizer(std::vector<OptimizerParamGroup> param_groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : state_(std::make_unique<StateMap>()), defaults_(std::move(defaults)) {
  const std::string name = optimizer_name(*defaults_);
  const tern::detail::OpScope scope(name.c_str());
  defaults_->check();
  for (OptimizerParamGroup& group : param_groups) add_param_group(std::move(group));
  TERN_CHECK(
      size() > 0 || tern::detail::as_libtorch, Error,
      "optimizer got an empty parameter list; parameters() finds what register_parameter() and "
      "register_module() have registered, not plain members");
}

namespace {

std::vector<OptimizerParamGroup> one_group(std::vector<Tensor> parameters) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::move(parameters));
  return groups;
}

}  // namespace

Optimizer::Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
    : Optimizer(one_group(std::move(parameters)), std::move(defaults)) {}

namespace {

/// Leaves each parameter once: parameters() of libtorch's modules has those of a shared module
/// twice.
void drop_repeated(std::vector<Tensor>& params) {
  std::unordered_set<const void*> seen;
  std::erase_if(params, [&](const Tensor& parameter) {
    return !seen.insert(parameter.unsafeGetTensorImpl()).second;
  });
}

}  // namespace

void Optimizer::add_param_group(OptimizerParamGroup group) {
  const std::string name = optimizer_name(*defaults_);
  const tern::detail::OpScope scope(name.c_str());
  if (group.has_options()) {
    group.options().inherit(*defaults_);
    group.options().check();
  } else {
    group.set_options(defaults_->clone());
  }
  std::unordered_set<const void*> known;
  for (const OptimizerParamGroup& other : param_groups_) {
    for (const Tensor& parameter : other.params()) {
      // libtorch sees a parameter of another group only once it has a state.
      TensorImpl* const key = parameter.unsafeGetTensorImpl();
      if (!tern::detail::as_libtorch || state_->contains(key)) known.insert(key);
    }
  }
  std::unordered_set<const void*> own;
  for (const Tensor& parameter : group.params()) {
    TERN_CHECK(parameter.defined(), Error, "can't optimize an undefined Tensor");
    TERN_CHECK(
        parameter.is_leaf() || parameter.retains_grad(), Error,
        "can't optimize a non-leaf Tensor; make a leaf with tensor.detach().requires_grad_()");
    TERN_CHECK(!known.contains(parameter.unsafeGetTensorImpl()), Error,
               "some parameters appear in more than one parameter group");
    TERN_CHECK(own.insert(parameter.unsafeGetTensorImpl()).second || tern::detail::as_libtorch,
               Error, "optimizer contains a parameter group with duplicate parameters");
  }
  if (own.size() < group.params().size()) drop_repeated(group.params());
  param_groups_.push_back(std::move(group));
}

std::size_t Optimizer::size() const noexcept {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
  return count;
}

void Optimizer::zero_grad(StrictBool set_to_none) {
  for (const OptimizerParamGroup& group : param_groups_) {
    for (const Tensor& parameter : group.params()) {
      Tensor& grad = parameter.mutable_grad();
      if (!grad.defined()) continue;
      if (set_to_none) {
        grad.reset();
      } else {
        grad = grad.detach();
        grad.zero_();
      }
    }
  }
}

// --- State ---------------------------------------------------------------------------------------

std::unique_ptr<OptimizerParamState> Optimizer::make_param_state() const { return nullptr; }

OptimizerParamState& Optimizer::state_of(const Tensor& parameter) {
  std::unique_ptr<OptimizerParamState>& state = (*state_)[parameter.unsafeGetTensorImpl()];
  if (!state) state = make_param_state();
  if (!state->parameter_.defined()) state->parameter_ = parameter;
  return *state;
}

double Optimizer::lr() const {
  const std::string name = optimizer_name(*defaults_);
  const double first = param_groups_.at(0).options().get_lr();
  for (std::size_t i = 1; i < param_groups_.size(); ++i) {
    const double other = param_groups_[i].options().get_lr();
    TERN_CHECK(other == first, Error, name, ": lr() of groups with different learning rates, ",
               first, " and ", other, "; use param_groups()[i].options().get_lr()");
  }
  return first;
}

void Optimizer::set_lr(double lr) {
  const std::string name = optimizer_name(*defaults_);
  const tern::detail::OpScope scope(name.c_str());
  for (const OptimizerParamGroup& group : param_groups_) {
    const std::unique_ptr<OptimizerOptions> options = group.options().clone();
    options->set_lr(lr);
    options->check();
  }
  for (OptimizerParamGroup& group : param_groups_) group.options().set_lr(lr);
}

State Optimizer::state_dict() const {
  State states;
  State groups = State::list();
  std::int64_t number = 0;
  for (const OptimizerParamGroup& group : param_groups_) {
    State saved;
    group.options().save(saved);
    for (const auto& [name, value] : group.schedule()) saved.set(name, value);
    State params = State::list();
    for (const Tensor& parameter : group.params()) {
      const auto found = state_->find(parameter.unsafeGetTensorImpl());
      if (found != state_->end()) states.insert(std::to_string(number), found->second->save());
      params.push_back(number++);
    }
    saved.insert("params", std::move(params));
    groups.push_back(std::move(saved));
  }
  State result;
  result.insert("state", std::move(states));
  result.insert("param_groups", std::move(groups));
  return result;
}

namespace {

/// Returns the numbers of a saved group that are no options: those of learning rate schedulers,
/// which name them as they like.
State loaded_schedule(const State& group, const OptimizerOptions& options) {
  State known, schedule;
  options.save(known);
  for (const auto& [name, value] : group) {
    const bool is_number =
        value.is_double() || value.is_int() || (value.is_tensor() && value.tensor().numel() == 1);
    if (!is_number || known.contains(name)) continue;
    schedule.insert(name, detail::saved_number(value, name.c_str()));
  }
  return schedule;
}

}  // namespace

void Optimizer::load_state_dict(const State& state) {
  const std::string name = tern::detail::type_name(typeid(*this)) + "::load_state_dict";
  const tern::detail::OpScope scope(name.c_str());
  const std::vector<State>& saved_groups = state["param_groups"].elements();
  TERN_CHECK(saved_groups.size() == param_groups_.size(), Error,
             "loaded state dict has a different number of parameter groups: ", saved_groups.size(),
             ", the optimizer has ", param_groups_.size());
  // Checks and builds everything before the first change, so that an error changes nothing.
  std::vector<std::unique_ptr<OptimizerOptions>> options;
  std::vector<State> schedules;
  std::unordered_map<std::string, Tensor> targets;  // number in the state dict -> parameter
  for (std::size_t i = 0; i < saved_groups.size(); ++i) {
    const OptimizerParamGroup& group = param_groups_[i];
    const std::vector<State>& numbers = saved_groups[i]["params"].elements();
    TERN_CHECK(numbers.size() == group.params().size(), Error,
               "loaded state dict contains a parameter group that doesn't match the size of "
               "optimizer's group: ",
               numbers.size(), " parameters in group ", i, ", the optimizer has ",
               group.params().size());
    options.push_back(group.options().clone());
    try {
      options.back()->load(saved_groups[i]);
    } catch (const IndexError& error) {
      throw IndexError(std::string(error.what()) + "; is it the state of another optimizer?");
    }
    options.back()->check();
    schedules.push_back(loaded_schedule(saved_groups[i], *options.back()));
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      const auto number = numbers[j].to<std::int64_t>("params");
      TERN_CHECK(targets.emplace(std::to_string(number), group.params()[j]).second, Error,
                 "loaded state dict has parameter ", number, " twice in its parameter groups");
    }
  }
  StateMap states;
  for (const auto& [number, saved] : state["state"]) {
    const auto found = targets.find(number);
    TERN_CHECK(found != targets.end(), Error, "loaded state dict has a state for parameter ",
               number, ", which is in none of its parameter groups");
    if (saved.empty()) continue;
    std::unique_ptr<OptimizerParamState> fresh = make_param_state();
    TERN_CHECK(fresh != nullptr, Error, "this optimizer keeps no state, but the loaded state dict ",
               "has some for parameter ", number);
    fresh->load(saved, found->second);
    fresh->check();
    fresh->parameter_ = found->second;
    states[found->second.unsafeGetTensorImpl()] = std::move(fresh);
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    param_groups_[i].set_options(std::move(options[i]));
    param_groups_[i].schedule() = std::move(schedules[i]);
  }
  *state_ = std::move(states);
}

}  // namespace tern::optim
