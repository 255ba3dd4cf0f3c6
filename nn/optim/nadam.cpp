#include <cmath>

#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/nadam.h>

namespace tern::optim {

auto NAdamOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &NAdamOptions::lr_), std::pair("betas", &NAdamOptions::betas_),
      std::pair("eps", &NAdamOptions::eps_),
      std::pair("weight_decay", &NAdamOptions::weight_decay_),
      std::pair("momentum_decay", &NAdamOptions::momentum_decay_),
      std::pair(Later("decoupled_weight_decay"), &NAdamOptions::decoupled_weight_decay_),
      std::pair(Later("maximize"), &NAdamOptions::maximize_));
}

template class OptimizerCloneableOptions<NAdamOptions>;

auto NAdamParamState::fields() {
  return std::make_tuple(std::pair("step", &NAdamParamState::step_),
                         std::pair("mu_product", &NAdamParamState::mu_product_),
                         std::pair("exp_avg", &NAdamParamState::exp_avg_),
                         std::pair("exp_avg_sq", &NAdamParamState::exp_avg_sq_));
}

template class OptimizerCloneableParamState<NAdamParamState>;

NAdamOptions::NAdamOptions(double lr_value) { lr(lr_value); }

void NAdamOptions::check() const {
  detail::check_lr(lr());
  detail::check_eps(eps());
  detail::check_betas(betas());
  detail::check_weight_decay(weight_decay());
  detail::check_option("momentum_decay", momentum_decay());
}

void NAdamParamState::check() const {
  detail::check_saved(step_, "exp_avg", exp_avg_);
  detail::check_saved(step_, "exp_avg_sq", exp_avg_sq_);
}

namespace {

/// Returns the momentum of step `t`.
double nadam_momentum(const NAdamOptions& options, std::int64_t t) {
  const double exponent = static_cast<double>(t) * options.momentum_decay();
  return std::get<0>(options.betas()) * (1.0 - 0.5 * std::pow(0.96, exponent));
}

/// Returns the product of the momenta including step `t`.
float nadam_product(const NAdamOptions& options, const NAdamParamState& state, std::int64_t t) {
  return state.mu_product() * static_cast<float>(nadam_momentum(options, t));
}

void set_nadam_numbers(const NAdamOptions& options, double grad_share, double mean_share,
                       kernels::OptimArgs& args) {
  using Rule = kernels::NadamRule;
  const unsigned form = (options.maximize() ? Rule::kMaximize : 0U) |
                        (options.decoupled_weight_decay() ? Rule::kDecoupled : 0U);
  kernels::set_optim_rule<Rule>(args, form,
                                {std::get<0>(options.betas()), std::get<1>(options.betas()),
                                 options.eps(), options.weight_decay(), grad_share, mean_share});
}

void prepare_nadam(const OptimizerOptions& group, OptimizerParamState& param_state,
                   kernels::OptimArgs& args) {
  const auto& options = static_cast<const NAdamOptions&>(group);
  const auto& state = static_cast<const NAdamParamState&>(param_state);
  const std::int64_t t = state.step() + 1;
  const double product = nadam_product(options, state, t), next = nadam_momentum(options, t + 1);
  set_nadam_numbers(options, (1 - nadam_momentum(options, t)) / (1 - product),
                    next / (1 - product * next), args);
}

void advance_nadam(const OptimizerOptions& group, OptimizerParamState& param_state) {
  auto& state = static_cast<NAdamParamState&>(param_state);
  state.mu_product(nadam_product(static_cast<const NAdamOptions&>(group), state, state.step()));
}

void set_nadam_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  set_nadam_numbers(static_cast<const NAdamOptions&>(group), 0, 0, args);
}

detail::StateFields nadam_fields(OptimizerParamState& state) {
  auto& fields = static_cast<NAdamParamState&>(state);
  return {.tensors = {&fields.exp_avg(), &fields.exp_avg_sq()},
          .step = &fields.step(),
          .kept = {fields.mu_product()}};
}

}  // namespace

Tensor NAdam::step(LossClosure closure) {
  return detail::fused_step({.name = "NAdam",
                             .set_rule = set_nadam_rule,
                             .fields_of = nadam_fields,
                             .is_capturable = [](const OptimizerOptions&) { return false; },
                             .prepare = prepare_nadam,
                             .advance = advance_nadam},
                            *this, closure);
}

}  // namespace tern::optim
