#include <cmath>

#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/nadam.h>

namespace tern::optim {

NAdamOptions::NAdamOptions() = default;
NAdamOptions::NAdamOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<NAdamOptions>;
template class OptimizerCloneableParamState<NAdamParamState>;

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

void set_nadam_shares(const OptimizerOptions& group, const OptimizerParamState& param_state,
                      kernels::OptimArgs& args) {
  const auto& options = static_cast<const NAdamOptions&>(group);
  const auto& state = static_cast<const NAdamParamState&>(param_state);
  const std::int64_t t = state.step() + 1;
  const double product = nadam_product(options, state, t), next = nadam_momentum(options, t + 1);
  auto numbers = kernels::optim_numbers<kernels::NadamRule>(args);
  numbers.grad_share = (1 - nadam_momentum(options, t)) / (1 - product);
  numbers.mean_share = next / (1 - product * next);
  kernels::set_optim_numbers(args, numbers);
}

void advance_nadam(const OptimizerOptions& group, OptimizerParamState& param_state) {
  auto& state = static_cast<NAdamParamState&>(param_state);
  state.mu_product(nadam_product(static_cast<const NAdamOptions&>(group), state, state.step()));
}

}  // namespace

Tensor NAdam::step(LossClosure closure) {
  return detail::take_step(
      detail::step_by<kernels::NadamRule>({.prepare = set_nadam_shares, .advance = advance_nadam}),
      *this, closure);
}

}  // namespace tern::optim
