#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

// The common part of Adam and AdamW.
namespace {

template <class Options>
void check_adam_options(const Options& options) {
  detail::check_lr(options.lr());
  detail::check_eps(options.eps());
  detail::check_betas(options.betas());
  detail::check_weight_decay(options.weight_decay());
}

template <class Options>
void set_adam_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::AdamRule;
  const auto& options = static_cast<const Options&>(group);
  const auto [beta1, beta2] = options.betas();
  const unsigned form = (options.maximize() ? Rule::kMaximize : 0U) |
                        (options.amsgrad() ? Rule::kAmsgrad : 0U) |
                        (std::is_same_v<Options, AdamWOptions> ? Rule::kDecoupled : 0U);
  kernels::set_optim_rule<Rule>(args, form, {beta1, beta2, options.eps(), options.weight_decay()});
}

detail::StateFields adam_fields(OptimizerParamState& state) {
  auto& adam = static_cast<AdamParamState&>(state);
  return {{&adam.exp_avg(), &adam.exp_avg_sq(), &adam.max_exp_avg_sq()},
          &adam.step(),
          &adam.device_step()};
}

template <class Options>
constexpr detail::FusedOptimizer fused_adam(const char* name) {
  return {name, set_adam_rule<Options>, adam_fields, [](const OptimizerOptions& options) {
            return static_cast<const Options&>(options).capturable();
          }};
}

}  // namespace

auto AdamParamState::fields() {
  return std::make_tuple(std::pair("step", &AdamParamState::step_),
                         std::pair("exp_avg", &AdamParamState::exp_avg_),
                         std::pair("exp_avg_sq", &AdamParamState::exp_avg_sq_),
                         std::pair("max_exp_avg_sq", &AdamParamState::max_exp_avg_sq_));
}

template class OptimizerCloneableParamState<AdamParamState>;

void AdamParamState::check() const {
  detail::check_saved(step_, "exp_avg", exp_avg_);
  detail::check_saved(step_, "exp_avg_sq", exp_avg_sq_);
}

// --- Adam ----------------------------------------------------------------------------------------

auto AdamOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &AdamOptions::lr_), std::pair("betas", &AdamOptions::betas_),
      std::pair("eps", &AdamOptions::eps_), std::pair("weight_decay", &AdamOptions::weight_decay_),
      std::pair(Later("amsgrad"), &AdamOptions::amsgrad_),
      std::pair(Later("maximize"), &AdamOptions::maximize_),
      std::pair("capturable", &AdamOptions::capturable_));
}

template class OptimizerCloneableOptions<AdamOptions>;

AdamOptions::AdamOptions(double lr_value) { lr(lr_value); }
void AdamOptions::check() const { check_adam_options(*this); }

Adam::Adam(std::vector<OptimizerParamGroup> param_groups, const AdamOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
Adam::Adam(std::vector<Tensor> params, const AdamOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> Adam::make_param_state() const {
  return std::make_unique<AdamParamState>();
}

Tensor Adam::step(LossClosure closure) {
  return detail::fused_step(fused_adam<AdamOptions>("Adam"), *this, closure);
}

// --- AdamW ---------------------------------------------------------------------------------------

auto AdamWOptions::fields() {
  return std::make_tuple(std::pair("lr", &AdamWOptions::lr_),
                         std::pair("betas", &AdamWOptions::betas_),
                         std::pair("eps", &AdamWOptions::eps_),
                         std::pair("weight_decay", &AdamWOptions::weight_decay_),
                         std::pair(Later("amsgrad"), &AdamWOptions::amsgrad_),
                         std::pair(Later("maximize"), &AdamWOptions::maximize_),
                         std::pair("capturable", &AdamWOptions::capturable_));
}

template class OptimizerCloneableOptions<AdamWOptions>;

AdamWOptions::AdamWOptions(double lr_value) { lr(lr_value); }
void AdamWOptions::check() const { check_adam_options(*this); }

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, const AdamWOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
AdamW::AdamW(std::vector<Tensor> params, const AdamWOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> AdamW::make_param_state() const {
  return std::make_unique<AdamParamState>();
}

Tensor AdamW::step(LossClosure closure) {
  return detail::fused_step(fused_adam<AdamWOptions>("AdamW"), *this, closure);
}

}  // namespace tern::optim
