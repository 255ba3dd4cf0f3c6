#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/lion.h>

namespace tern::optim {

auto LionOptions::fields() {
  return std::make_tuple(std::pair("lr", &LionOptions::lr_),
                         std::pair("betas", &LionOptions::betas_),
                         std::pair("weight_decay", &LionOptions::weight_decay_),
                         std::pair("maximize", &LionOptions::maximize_));
}

template class OptimizerCloneableOptions<LionOptions>;

auto LionParamState::fields() {
  return std::make_tuple(std::pair("exp_avg", &LionParamState::exp_avg_));
}

template class OptimizerCloneableParamState<LionParamState>;

LionOptions::LionOptions(double lr_value) { lr(lr_value); }

void LionOptions::check() const {
  detail::check_lr(lr());
  detail::check_betas(betas());
  detail::check_weight_decay(weight_decay());
}

namespace {

void set_lion_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::LionRule;
  const auto& options = static_cast<const LionOptions&>(group);
  kernels::set_optim_rule<Rule>(
      args, options.maximize() ? Rule::kMaximize : 0U,
      {std::get<0>(options.betas()), std::get<1>(options.betas()), options.weight_decay()});
}

detail::StateFields lion_fields(OptimizerParamState& state) {
  auto& fields = static_cast<LionParamState&>(state);
  return {.tensors = {&fields.exp_avg()}};
}

}  // namespace

Tensor Lion::step(LossClosure closure) {
  return detail::fused_step({.name = "Lion", .set_rule = set_lion_rule, .fields_of = lion_fields},
                            *this, closure);
}

}  // namespace tern::optim
