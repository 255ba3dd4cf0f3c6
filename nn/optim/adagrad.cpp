#include <tern/nn/optim/adagrad.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

auto AdagradOptions::fields() {
  return std::make_tuple(
      std::pair("lr", &AdagradOptions::lr_), std::pair("lr_decay", &AdagradOptions::lr_decay_),
      std::pair(Later("eps"), &AdagradOptions::eps_),
      std::pair("weight_decay", &AdagradOptions::weight_decay_),
      std::pair("initial_accumulator_value", &AdagradOptions::initial_accumulator_value_),
      std::pair(Later("maximize"), &AdagradOptions::maximize_));
}

template class OptimizerCloneableOptions<AdagradOptions>;

auto AdagradParamState::fields() {
  return std::make_tuple(std::pair("step", &AdagradParamState::step_),
                         std::pair("sum", &AdagradParamState::sum_));
}

template class OptimizerCloneableParamState<AdagradParamState>;

AdagradOptions::AdagradOptions(double lr_value) { lr(lr_value); }

void AdagradOptions::check() const {
  detail::check_lr(lr());
  detail::check_option("lr_decay", lr_decay());
  detail::check_weight_decay(weight_decay());
  detail::check_option("initial_accumulator_value", initial_accumulator_value());
  detail::check_eps(eps());
}

void AdagradParamState::check() const { detail::check_saved(step_, "sum", sum_); }

namespace {

void set_adagrad_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::AdagradRule;
  const auto& options = static_cast<const AdagradOptions&>(group);
  kernels::set_optim_rule<Rule>(args, options.maximize() ? Rule::kMaximize : 0U,
                                {options.lr_decay(), options.eps(), options.weight_decay()});
}

detail::StateFields adagrad_fields(OptimizerParamState& state) {
  auto& fields = static_cast<AdagradParamState&>(state);
  return {.tensors = {&fields.sum()}, .step = &fields.step()};
}

}  // namespace

Tensor Adagrad::step(LossClosure closure) {
  return detail::fused_step(
      {.name = "Adagrad",
       .set_rule = set_adagrad_rule,
       .fields_of = adagrad_fields,
       .is_capturable = [](const OptimizerOptions&) { return false; },
       .initial_value =
           [](const OptimizerOptions& options, int) {
             return static_cast<const AdagradOptions&>(options).initial_accumulator_value();
           }},
      *this, closure);
}

}  // namespace tern::optim
