#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/lion.h>

namespace tern::optim {

LionOptions::LionOptions() = default;
LionOptions::LionOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<LionOptions>;
template class OptimizerCloneableParamState<LionParamState>;

Tensor Lion::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::LionRule>(), *this, closure);
}

}  // namespace tern::optim
