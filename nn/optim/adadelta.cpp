#include <tern/nn/optim/adadelta.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

AdadeltaOptions::AdadeltaOptions() = default;
AdadeltaOptions::AdadeltaOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<AdadeltaOptions>;
template class OptimizerCloneableParamState<AdadeltaParamState>;

Tensor Adadelta::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::AdadeltaRule>(), *this, closure);
}

}  // namespace tern::optim
