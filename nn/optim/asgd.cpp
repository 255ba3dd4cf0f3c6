#include <algorithm>
#include <cmath>

#include <tern/nn/optim/asgd.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

auto ASGDOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &ASGDOptions::lr_), std::pair("lambd", &ASGDOptions::lambd_),
      std::pair("alpha", &ASGDOptions::alpha_), std::pair("t0", &ASGDOptions::t0_),
      std::pair("weight_decay", &ASGDOptions::weight_decay_),
      std::pair(Later("maximize"), &ASGDOptions::maximize_));
}

template class OptimizerCloneableOptions<ASGDOptions>;

auto ASGDParamState::fields() {
  return std::make_tuple(
      std::pair("step", &ASGDParamState::step_), std::pair("eta", &ASGDParamState::eta_),
      std::pair("mu", &ASGDParamState::mu_), std::pair("ax", &ASGDParamState::ax_));
}

template class OptimizerCloneableParamState<ASGDParamState>;

ASGDOptions::ASGDOptions(double lr_value) { lr(lr_value); }

void ASGDOptions::check() const {
  detail::check_lr(lr());
  detail::check_option("lambd", lambd());
  detail::check_option("alpha", alpha());
  detail::check_weight_decay(weight_decay());
}

void ASGDParamState::check() const { detail::check_saved(step_, "ax", ax_); }

namespace {

void set_asgd_numbers(const ASGDOptions& options, double eta, double mu, kernels::OptimArgs& args) {
  using Rule = kernels::AsgdRule;
  kernels::set_optim_rule<Rule>(args, options.maximize() ? Rule::kMaximize : 0U,
                                {options.weight_decay(), 1 - options.lambd() * eta, eta, mu});
}

void prepare_asgd(const OptimizerOptions& group, OptimizerParamState& param_state,
                  kernels::OptimArgs& args) {
  const auto& options = static_cast<const ASGDOptions&>(group);
  const auto& state = static_cast<const ASGDParamState&>(param_state);
  const float eta = state.step() == 0 ? static_cast<float>(options.lr()) : state.eta();
  set_asgd_numbers(options, eta, state.mu(), args);
}

void advance_asgd(const OptimizerOptions& group, OptimizerParamState& param_state) {
  const auto& options = static_cast<const ASGDOptions&>(group);
  auto& state = static_cast<ASGDParamState&>(param_state);
  const auto step = static_cast<double>(state.step());
  const double decay = std::pow(1 + options.lambd() * options.lr() * step, options.alpha());
  state.eta(static_cast<float>(options.lr() / decay));
  state.mu(static_cast<float>(1 / std::max(1.0, step - options.t0())));
}

void set_asgd_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  set_asgd_numbers(static_cast<const ASGDOptions&>(group), 0, 1, args);
}

detail::StateFields asgd_fields(OptimizerParamState& state) {
  auto& fields = static_cast<ASGDParamState&>(state);
  return {.tensors = {&fields.ax()}, .step = &fields.step(), .kept = {fields.eta(), fields.mu()}};
}

}  // namespace

Tensor ASGD::step(LossClosure closure) {
  return detail::fused_step({.name = "ASGD",
                             .set_rule = set_asgd_rule,
                             .fields_of = asgd_fields,
                             .is_capturable = [](const OptimizerOptions&) { return false; },
                             .prepare = prepare_asgd,
                             .advance = advance_asgd},
                            *this, closure);
}

}  // namespace tern::optim
