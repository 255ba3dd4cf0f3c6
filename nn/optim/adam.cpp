#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/optim.h>
#include <tern/core/ops/creation.h>
#include <tern/core/ops/elementwise.h>
#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/update.h>

namespace tern::optim {

namespace {

struct AdamUpdate : detail::Update {
  AdamUpdate(const char* op, const Tensor& param, AdamParamState& state_, bool amsgrad)
      : Update(op, param), state(&state_), step(state_.step() + 1) {
    detail::follow(state->exp_avg(), param);
    detail::follow(state->exp_avg_sq(), param);
    if (amsgrad) detail::follow(state->max_exp_avg_sq(), param);
  }
  AdamParamState* state;
  std::int64_t step;  // this one, counted from 1
};

template <class Options>
void check_options(const Options& options) {
  const auto [beta1, beta2] = options.betas();
  TERN_CHECK(options.lr() >= 0, Error, "Invalid learning rate: ", options.lr());
  TERN_CHECK(options.eps() >= 0, Error, "Invalid epsilon value: ", options.eps());
  TERN_CHECK(beta1 >= 0 && beta1 < 1, Error, "Invalid beta parameter at index 0: ", beta1);
  TERN_CHECK(beta2 >= 0 && beta2 < 1, Error, "Invalid beta parameter at index 1: ", beta2);
  TERN_CHECK(options.weight_decay() >= 0, Error,
             "Invalid weight_decay value: ", options.weight_decay());
}

/// Counts the step of [begin, end), which have one count, on their device.
void count_on_device(AdamUpdate* begin, AdamUpdate* end) {
  Tensor& count = begin->state->device_step();
  const Device device = begin->parameter.device();
  const bool shared_by_others = count.use_count() != static_cast<std::uint32_t>(end - begin);
  if (count.defined() && count.device() == device && !shared_by_others) {
    count.add_(1);
    return;
  }
  TERN_CHECK(!kernels::is_capturing(device), Error,
             "a capture needs the parameters with gradients that the step before it had");
  const Tensor fresh =
      full({}, static_cast<double>(begin->step), TensorOptions().dtype(kDouble).device(device));
  for (AdamUpdate* update = begin; update != end; ++update) update->state->device_step() = fresh;
}

/// What a graph that captured a step knows of its parameters.
struct CapturedStep {
  std::vector<void*> keys;  // in the optimizer's state
  Tensor count;             // shares the elements of device_step, and keeps them

  AdamParamState* state_in(const Optimizer& optimizer, void* key) const {
    const auto found = optimizer.state().find(key);
    return found == optimizer.state().end() ? nullptr
                                            : static_cast<AdamParamState*>(found->second.get());
  }
  void check(const Optimizer& optimizer) const {
    for (void* key : keys) {
      const AdamParamState* state = state_in(optimizer, key);
      TERN_CHECK(state != nullptr && state->device_step().defined() &&
                     state->device_step().data_ptr() == count.data_ptr(),
                 Error,
                 "the optimizer's state was replaced since the graph captured its step, or some of "
                 "the parameters were stepped alone. Capture the step again");
    }
  }
  void count_replay(const Optimizer& optimizer) const {
    for (void* key : keys) {
      if (AdamParamState* state = state_in(optimizer, key)) ++state->step();
    }
  }
};

/// Makes every replay count the step of [begin, end) on the host, too; returns where its kernel
/// finds the learning rate.
const double* capture_step(const std::weak_ptr<Optimizer*>& optimizer, std::size_t group, double lr,
                           const std::vector<AdamUpdate>& updates, std::size_t begin,
                           std::size_t end) {
  CapturedStep step{{}, updates[begin].state->device_step().detach()};
  for (std::size_t i = begin; i < end; ++i) {
    step.keys.push_back(updates[i].parameter.unsafeGetTensorImpl());
  }
  const Device device = updates[begin].parameter.device();
  kernels::capture_on(device)->after_replay(device.index(), [optimizer, step] {
    if (const auto alive = optimizer.lock()) step.count_replay(**alive);
  });
  return detail::graph_lr(optimizer, group, lr, device,
                          [step](const Optimizer& now) { step.check(now); });
}

template <class Options>
kernels::AdamArgs args_of(const Options& options, const AdamUpdate& first) {
  const auto [beta1, beta2] = options.betas();
  const auto t = static_cast<double>(first.step);
  kernels::AdamArgs args{};
  args.dtype = first.parameter.dtype();
  args.amsgrad = options.amsgrad();
  args.decoupled = std::is_same_v<Options, AdamWOptions>;
  args.maximize = options.maximize();
  args.lr = options.lr();
  args.beta1 = beta1;
  args.beta2 = beta2;
  args.eps = options.eps();
  args.weight_decay = options.weight_decay();
  args.bias_correction1 = 1 - std::pow(beta1, t);
  args.bias_correction2_sqrt = std::sqrt(1 - std::pow(beta2, t));
  return args;
}

void append(kernels::AdamArgs& args, const AdamUpdate& update) {
  const auto k = static_cast<std::size_t>(args.count++);
  args.param[k] = update.values.data_ptr();
  args.grad[k] = update.grad.data_ptr();
  args.exp_avg[k] = update.state->exp_avg().data_ptr();
  args.exp_avg_sq[k] = update.state->exp_avg_sq().data_ptr();
  args.max_exp_avg_sq[k] = args.amsgrad ? update.state->max_exp_avg_sq().data_ptr() : nullptr;
  args.numel[k] = update.parameter.numel();
}

/// Steps all parameters of one group; state_of(parameter) is an AdamParamState.
template <class Options, class StateOf>
void step_group(const char* op, OptimizerParamGroup& group, std::size_t index,
                const std::weak_ptr<Optimizer*>& optimizer, const StateOf& state_of) {
  const auto& options = static_cast<const Options&>(group.options());
  std::vector<AdamUpdate> updates;
  updates.reserve(group.params().size());
  for (const Tensor& parameter : group.params()) {
    if (!parameter.grad().defined()) continue;
    updates.emplace_back(op, parameter, static_cast<AdamParamState&>(state_of(parameter)),
                         options.amsgrad());
  }
  const auto alike = [](const AdamUpdate& a, const AdamUpdate& b) {
    return a.step == b.step && detail::same_kind(a.parameter, b.parameter) &&
           a.state->device_step().is_same(b.state->device_step());
  };
  detail::for_each_batch(updates, alike, [&](std::size_t begin, std::size_t end) {
    const AdamUpdate& first = updates[begin];
    const Device device = first.parameter.device();
    kernels::AdamArgs args = args_of(options, first);
    if (options.capturable() && device.is_cuda()) {
      count_on_device(&updates[begin], updates.data() + end);
      args.device_step = first.state->device_step().template data_ptr<double>();
    }
    const bool captured = kernels::is_capturing(device);
    if (captured) args.device_lr = capture_step(optimizer, index, args.lr, updates, begin, end);
    for (std::size_t i = begin; i < end; ++i) append(args, updates[i]);
    kernels::run(op, device, first.parameter.dtype(), args);
    for (std::size_t i = begin; i < end; ++i) {
      updates[i].finish();
      if (!captured) updates[i].state->step(updates[i].step);
    }
  });
}

/// Throws when a graph captures the step of an optimizer that has not been made for it.
template <class Options>
void check_capturable(const char* op, const std::vector<OptimizerParamGroup>& groups) {
  for (const OptimizerParamGroup& group : groups) {
    if (static_cast<const Options&>(group.options()).capturable()) continue;
    for (const Tensor& parameter : group.params()) {
      TERN_CHECK(!kernels::is_capturing(parameter.device()), Error,
                 "Attempting CUDA graph capture of step() for an instance of ", op,
                 " but param_groups' capturable is False.");
    }
  }
}

}  // namespace

void AdamParamState::check() const {
  for (const auto& [name, average] :
       {std::pair("exp_avg", &exp_avg_), std::pair("exp_avg_sq", &exp_avg_sq_)}) {
    TERN_CHECK(step_ == 0 || average->defined(), Error, "loaded state dict has no ", name,
               " for a parameter at step ", step_);
  }
}

// --- Adam ----------------------------------------------------------------------------------------

AdamOptions::AdamOptions(double lr_value) { lr(lr_value); }
void AdamOptions::check() const { check_options(*this); }

Adam::Adam(std::vector<OptimizerParamGroup> param_groups, const AdamOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
Adam::Adam(std::vector<Tensor> params, const AdamOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> Adam::make_param_state() const {
  return std::make_unique<AdamParamState>();
}

Tensor Adam::step(LossClosure closure) {
  check_capturable<AdamOptions>("Adam", param_groups_);
  Tensor loss = detail::run_closure(closure);
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < param_groups_.size(); ++i) {
    step_group<AdamOptions>(
        "Adam", param_groups_[i], i,
        handle(), [this](const Tensor& p) -> auto& { return state_of(p); });
  }
  return loss;
}

// --- AdamW ---------------------------------------------------------------------------------------

AdamWOptions::AdamWOptions(double lr_value) { lr(lr_value); }
void AdamWOptions::check() const { check_options(*this); }

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, const AdamWOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
AdamW::AdamW(std::vector<Tensor> params, const AdamWOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> AdamW::make_param_state() const {
  return std::make_unique<AdamParamState>();
}

Tensor AdamW::step(LossClosure closure) {
  check_capturable<AdamWOptions>("AdamW", param_groups_);
  Tensor loss = detail::run_closure(closure);
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < param_groups_.size(); ++i) {
    step_group<AdamWOptions>(
        "AdamW", param_groups_[i], i,
        handle(), [this](const Tensor& p) -> auto& { return state_of(p); });
  }
  return loss;
}

}  // namespace tern::optim
