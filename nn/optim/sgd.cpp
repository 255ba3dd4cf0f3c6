#include <cmath>

#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/sgd.h>

namespace tern::optim {

auto SGDOptions::fields() {
  return std::make_tuple(std::pair("lr", &SGDOptions::lr_),
                         std::pair("momentum", &SGDOptions::momentum_),
                         std::pair("dampening", &SGDOptions::dampening_),
                         std::pair("weight_decay", &SGDOptions::weight_decay_),
                         std::pair(Later("nesterov"), &SGDOptions::nesterov_),
                         std::pair(Later("maximize"), &SGDOptions::maximize_));
}

template class OptimizerCloneableOptions<SGDOptions>;

auto SGDParamState::fields() {
  return std::make_tuple(std::pair("momentum_buffer", &SGDParamState::momentum_buffer_));
}

template class OptimizerCloneableParamState<SGDParamState>;

SGDOptions::SGDOptions(double lr_value) { lr(lr_value); }

void SGDOptions::check() const {
  detail::check_lr(lr());
  detail::check_option("momentum", momentum());
  TERN_CHECK(std::isfinite(dampening()), Error, "Invalid dampening value: ", dampening());
  detail::check_weight_decay(weight_decay());
  TERN_CHECK(!nesterov() || (momentum() > 0 && dampening() == 0), Error,
             "Nesterov momentum requires a momentum and zero dampening, got ", momentum(), " and ",
             dampening());
}

SGD::SGD(std::vector<OptimizerParamGroup> param_groups, const SGDOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
SGD::SGD(std::vector<Tensor> params, const SGDOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> SGD::make_param_state() const {
  return std::make_unique<SGDParamState>();
}

namespace {

void set_sgd_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::SgdRule;
  const auto& options = static_cast<const SGDOptions&>(group);
  const unsigned form =
      (options.maximize() ? Rule::kMaximize : 0U) | (options.nesterov() ? Rule::kNesterov : 0U);
  kernels::set_optim_rule<Rule>(args, form,
                                {options.momentum(), options.dampening(), options.weight_decay()});
}

detail::StateFields sgd_fields(OptimizerParamState& state) {
  Tensor& buffer = static_cast<SGDParamState&>(state).momentum_buffer();
  return {.tensors = {&buffer}, .form = buffer.defined() ? 0U : kernels::SgdRule::kFirst};
}

}  // namespace

Tensor SGD::step(LossClosure closure) {
  return detail::fused_step({"SGD", set_sgd_rule, sgd_fields}, *this, closure);
}

}  // namespace tern::optim
