#include <tern/nn/optim/adam.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

AdamOptions::AdamOptions() = default;
AdamOptions::AdamOptions(double lr_value) { lr(lr_value); }
AdamWOptions::AdamWOptions() = default;
AdamWOptions::AdamWOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<AdamOptions>;
template class OptimizerCloneableOptions<AdamWOptions>;
template class OptimizerCloneableParamState<AdamParamState>;
template class OptimizerOf<AdamOptions, AdamParamState>;
template class OptimizerOf<AdamWOptions, AdamWParamState>;

Tensor Adam::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::AdamRule>(), *this, closure);
}

Tensor AdamW::step(LossClosure closure) {
  const auto rule =
      detail::step_by<kernels::AdamRule>({.name = "AdamW", .form = kernels::AdamRule::kDecoupled});
  return detail::take_step(rule, *this, closure);
}

}  // namespace tern::optim
