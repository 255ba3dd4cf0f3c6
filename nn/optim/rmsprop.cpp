#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/rmsprop.h>

namespace tern::optim {

RMSpropOptions::RMSpropOptions() = default;
RMSpropOptions::RMSpropOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<RMSpropOptions>;
template class OptimizerCloneableParamState<RMSpropParamState>;
template class OptimizerOf<RMSpropOptions, RMSpropParamState>;

Tensor RMSprop::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::RmspropRule>(), *this, closure);
}

}  // namespace tern::optim
