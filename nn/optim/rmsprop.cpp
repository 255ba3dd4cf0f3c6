#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/rmsprop.h>

namespace tern::optim {

auto RMSpropOptions::fields() {
  return std::make_tuple(std::pair("lr", &RMSpropOptions::lr_),
                         std::pair(Later("momentum"), &RMSpropOptions::momentum_),
                         std::pair("alpha", &RMSpropOptions::alpha_),
                         std::pair("eps", &RMSpropOptions::eps_),
                         std::pair(Later("centered"), &RMSpropOptions::centered_),
                         std::pair("weight_decay", &RMSpropOptions::weight_decay_),
                         std::pair(Later("maximize"), &RMSpropOptions::maximize_));
}

template class OptimizerCloneableOptions<RMSpropOptions>;

auto RMSpropParamState::fields() {
  return std::make_tuple(std::pair("step", &RMSpropParamState::step_),
                         std::pair("square_avg", &RMSpropParamState::square_avg_),
                         std::pair("momentum_buffer", &RMSpropParamState::momentum_buffer_),
                         std::pair("grad_avg", &RMSpropParamState::grad_avg_));
}

template class OptimizerCloneableParamState<RMSpropParamState>;

RMSpropOptions::RMSpropOptions(double lr_value) { lr(lr_value); }

void RMSpropOptions::check() const {
  detail::check_lr(lr());
  detail::check_eps(eps());
  detail::check_option("momentum", momentum());
  detail::check_weight_decay(weight_decay());
  TERN_CHECK(alpha() >= 0 && alpha() <= 1, Error, "Invalid alpha value: ", alpha());
}

void RMSpropParamState::check() const { detail::check_saved(step_, "square_avg", square_avg_); }

RMSprop::RMSprop(std::vector<OptimizerParamGroup> param_groups, const RMSpropOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
RMSprop::RMSprop(std::vector<Tensor> params, const RMSpropOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> RMSprop::make_param_state() const {
  return std::make_unique<RMSpropParamState>();
}

namespace {

void set_rmsprop_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::RmspropRule;
  const auto& options = static_cast<const RMSpropOptions&>(group);
  const unsigned form =
      (options.maximize() ? Rule::kMaximize : 0U) | (options.centered() ? Rule::kCentered : 0U);
  kernels::set_optim_rule<Rule>(
      args, form, {options.alpha(), options.eps(), options.weight_decay(), options.momentum()});
}

detail::StateFields rmsprop_fields(OptimizerParamState& state) {
  auto& fields = static_cast<RMSpropParamState&>(state);
  return {.tensors = {&fields.square_avg(), &fields.momentum_buffer(), &fields.grad_avg()},
          .step = &fields.step()};
}

}  // namespace

Tensor RMSprop::step(LossClosure closure) {
  return detail::fused_step({"RMSprop", set_rmsprop_rule, rmsprop_fields}, *this, closure);
}

}  // namespace tern::optim
