#include <tern/nn/optim/adamax.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

auto AdamaxOptions::fields() {
  return std::make_tuple(std::pair("lr", &AdamaxOptions::lr_),
                         std::pair("betas", &AdamaxOptions::betas_),
                         std::pair("eps", &AdamaxOptions::eps_),
                         std::pair("weight_decay", &AdamaxOptions::weight_decay_),
                         std::pair(Later("maximize"), &AdamaxOptions::maximize_),
                         std::pair("capturable", &AdamaxOptions::capturable_));
}

template class OptimizerCloneableOptions<AdamaxOptions>;

auto AdamaxParamState::fields() {
  return std::make_tuple(std::pair("step", &AdamaxParamState::step_),
                         std::pair("exp_avg", &AdamaxParamState::exp_avg_),
                         std::pair("exp_inf", &AdamaxParamState::exp_inf_));
}

template class OptimizerCloneableParamState<AdamaxParamState>;

AdamaxOptions::AdamaxOptions(double lr_value) { lr(lr_value); }

void AdamaxOptions::check() const {
  detail::check_lr(lr());
  detail::check_eps(eps());
  detail::check_betas(betas());
  detail::check_weight_decay(weight_decay());
}

void AdamaxParamState::check() const {
  detail::check_saved(step_, "exp_avg", exp_avg_);
  detail::check_saved(step_, "exp_inf", exp_inf_);
}

namespace {

void set_adamax_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::AdamaxRule;
  const auto& options = static_cast<const AdamaxOptions&>(group);
  kernels::set_optim_rule<Rule>(args, options.maximize() ? Rule::kMaximize : 0U,
                                {std::get<0>(options.betas()), std::get<1>(options.betas()),
                                 options.eps(), options.weight_decay()});
}

detail::StateFields adamax_fields(OptimizerParamState& state) {
  auto& fields = static_cast<AdamaxParamState&>(state);
  return {.tensors = {&fields.exp_avg(), &fields.exp_inf()},
          .step = &fields.step(),
          .device_step = &fields.device_step()};
}

}  // namespace

Tensor Adamax::step(LossClosure closure) {
  return detail::fused_step({.name = "Adamax",
                             .set_rule = set_adamax_rule,
                             .fields_of = adamax_fields,
                             .is_capturable =
                                 [](const OptimizerOptions& options) {
                                   return static_cast<const AdamaxOptions&>(options).capturable();
                                 }},
                            *this, closure);
}

}  // namespace tern::optim
