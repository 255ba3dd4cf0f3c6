#include <algorithm>
#include <cmath>

#include <tern/nn/optim/asgd.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

ASGDOptions::ASGDOptions() = default;
ASGDOptions::ASGDOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<ASGDOptions>;
template class OptimizerCloneableParamState<ASGDParamState>;

namespace {

void set_asgd_numbers(const OptimizerOptions& group, const OptimizerParamState& param_state,
                      kernels::OptimArgs& args) {
  const auto& options = static_cast<const ASGDOptions&>(group);
  const auto& state = static_cast<const ASGDParamState&>(param_state);
  const double eta = state.step() == 0 ? static_cast<float>(options.lr()) : state.eta();
  kernels::set_optim_numbers(
      args, kernels::AsgdRule::Numbers{options.weight_decay(), 1 - options.lambd() * eta, eta,
                                       state.mu()});
}

void advance_asgd(const OptimizerOptions& group, OptimizerParamState& param_state) {
  const auto& options = static_cast<const ASGDOptions&>(group);
  auto& state = static_cast<ASGDParamState&>(param_state);
  const auto step = static_cast<double>(state.step());
  const double decay = std::pow(1 + options.lambd() * options.lr() * step, options.alpha());
  state.eta(static_cast<float>(options.lr() / decay));
  state.mu(static_cast<float>(1 / std::max(1.0, step - options.t0())));
}

}  // namespace

Tensor ASGD::step(LossClosure closure) {
  return detail::take_step(
      detail::step_by<kernels::AsgdRule>({.prepare = set_asgd_numbers, .advance = advance_asgd}),
      *this, closure);
}

}  // namespace tern::optim
