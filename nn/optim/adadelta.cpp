#include <tern/nn/optim/adadelta.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

auto AdadeltaOptions::fields() {
  return std::make_tuple(std::pair("lr", &AdadeltaOptions::lr_),
                         std::pair("rho", &AdadeltaOptions::rho_),
                         std::pair("eps", &AdadeltaOptions::eps_),
                         std::pair("weight_decay", &AdadeltaOptions::weight_decay_),
                         std::pair(Later("maximize"), &AdadeltaOptions::maximize_));
}

template class OptimizerCloneableOptions<AdadeltaOptions>;

auto AdadeltaParamState::fields() {
  return std::make_tuple(std::pair("step", &AdadeltaParamState::step_),
                         std::pair("square_avg", &AdadeltaParamState::square_avg_),
                         std::pair("acc_delta", &AdadeltaParamState::acc_delta_));
}

template class OptimizerCloneableParamState<AdadeltaParamState>;

AdadeltaOptions::AdadeltaOptions(double lr_value) { lr(lr_value); }

void AdadeltaOptions::check() const {
  detail::check_lr(lr());
  TERN_CHECK(rho() >= 0 && rho() <= 1, Error, "Invalid rho value: ", rho());
  detail::check_eps(eps());
  detail::check_weight_decay(weight_decay());
}

void AdadeltaParamState::check() const {
  detail::check_saved(step_, "square_avg", square_avg_);
  detail::check_saved(step_, "acc_delta", acc_delta_);
}

namespace {

void set_adadelta_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::AdadeltaRule;
  const auto& options = static_cast<const AdadeltaOptions&>(group);
  kernels::set_optim_rule<Rule>(args, options.maximize() ? Rule::kMaximize : 0U,
                                {options.rho(), options.eps(), options.weight_decay()});
}

detail::StateFields adadelta_fields(OptimizerParamState& state) {
  auto& fields = static_cast<AdadeltaParamState&>(state);
  return {.tensors = {&fields.square_avg(), &fields.acc_delta()}, .step = &fields.step()};
}

}  // namespace

Tensor Adadelta::step(LossClosure closure) {
  return detail::fused_step(
      {.name = "Adadelta", .set_rule = set_adadelta_rule, .fields_of = adadelta_fields}, *this,
      closure);
}

}  // namespace tern::optim
