#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>
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
void step_group(const char* op, OptimizerParamGroup& group, const StateOf& state_of) {
  const auto& options = static_cast<const Options&>(group.options());
  std::vector<AdamUpdate> updates;
  updates.reserve(group.params().size());
  for (const Tensor& parameter : group.params()) {
    if (!parameter.grad().defined()) continue;
    updates.emplace_back(op, parameter, static_cast<AdamParamState&>(state_of(parameter)),
                         options.amsgrad());
  }
  const auto alike = [](const AdamUpdate& a, const AdamUpdate& b) {
    return a.step == b.step && detail::same_kind(a.parameter, b.parameter);
  };
  detail::for_each_batch(updates, alike, [&](std::size_t begin, std::size_t end) {
    const AdamUpdate& first = updates[begin];
    kernels::AdamArgs args = args_of(options, first);
    for (std::size_t i = begin; i < end; ++i) append(args, updates[i]);
    kernels::run(op, first.parameter.device(), first.parameter.dtype(), args);
    for (std::size_t i = begin; i < end; ++i) {
      updates[i].finish();
      updates[i].state->step(updates[i].step);
    }
  });
}

}  // namespace

// --- Adam ----------------------------------------------------------------------------------------

AdamOptions::AdamOptions(double lr_value) { lr(lr_value); }
void AdamOptions::check() const { check_options(*this); }

Adam::Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
Adam::Adam(std::vector<Tensor> params, AdamOptions defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> Adam::make_param_state() const {
  return std::make_unique<AdamParamState>();
}

Tensor Adam::step(LossClosure closure) {
  const Tensor loss = detail::run_closure(closure);
  const NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups_) {
    step_group<AdamOptions>(
        "Adam", group, [this](const Tensor& p) -> auto& { return state_of(p); });
  }
  return loss;
}

// --- AdamW ---------------------------------------------------------------------------------------

AdamWOptions::AdamWOptions(double lr_value) { lr(lr_value); }
void AdamWOptions::check() const { check_options(*this); }

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
AdamW::AdamW(std::vector<Tensor> params, AdamWOptions defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> AdamW::make_param_state() const {
  return std::make_unique<AdamParamState>();
}

Tensor AdamW::step(LossClosure closure) {
  const Tensor loss = detail::run_closure(closure);
  const NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups_) {
    step_group<AdamWOptions>(
        "AdamW", group, [this](const Tensor& p) -> auto& { return state_of(p); });
  }
  return loss;
}

}  // namespace tern::optim
