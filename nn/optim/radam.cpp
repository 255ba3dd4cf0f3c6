#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/radam.h>

namespace tern::optim {

auto RAdamOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &RAdamOptions::lr_), std::pair("betas", &RAdamOptions::betas_),
      std::pair("eps", &RAdamOptions::eps_),
      std::pair("weight_decay", &RAdamOptions::weight_decay_),
      std::pair(Later("maximize"), &RAdamOptions::maximize_),
      std::pair("capturable", &RAdamOptions::capturable_),
      std::pair(Later("decoupled_weight_decay"), &RAdamOptions::decoupled_weight_decay_));
}

template class OptimizerCloneableOptions<RAdamOptions>;

auto RAdamParamState::fields() {
  return std::make_tuple(std::pair("step", &RAdamParamState::step_),
                         std::pair("exp_avg", &RAdamParamState::exp_avg_),
                         std::pair("exp_avg_sq", &RAdamParamState::exp_avg_sq_));
}

template class OptimizerCloneableParamState<RAdamParamState>;

RAdamOptions::RAdamOptions(double lr_value) { lr(lr_value); }

void RAdamOptions::check() const {
  detail::check_lr(lr());
  detail::check_eps(eps());
  detail::check_betas(betas());
  detail::check_weight_decay(weight_decay());
}

void RAdamParamState::check() const {
  detail::check_saved(step_, "exp_avg", exp_avg_);
  detail::check_saved(step_, "exp_avg_sq", exp_avg_sq_);
}

namespace {

void set_radam_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::RadamRule;
  const auto& options = static_cast<const RAdamOptions&>(group);
  kernels::set_optim_rule<Rule>(args,
                                (options.maximize() ? Rule::kMaximize : 0U) |
                                    (options.decoupled_weight_decay() ? Rule::kDecoupled : 0U),
                                {std::get<0>(options.betas()), std::get<1>(options.betas()),
                                 options.eps(), options.weight_decay()});
}

detail::StateFields radam_fields(OptimizerParamState& state) {
  auto& fields = static_cast<RAdamParamState&>(state);
  return {.tensors = {&fields.exp_avg(), &fields.exp_avg_sq()},
          .step = &fields.step(),
          .device_step = &fields.device_step()};
}

}  // namespace

Tensor RAdam::step(LossClosure closure) {
  return detail::fused_step({.name = "RAdam",
                             .set_rule = set_radam_rule,
                             .fields_of = radam_fields,
                             .is_capturable =
                                 [](const OptimizerOptions& options) {
                                   return static_cast<const RAdamOptions&>(options).capturable();
                                 }},
                            *this, closure);
}

}  // namespace tern::optim
