#include <tern/nn/optim/adamax.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

AdamaxOptions::AdamaxOptions() = default;
AdamaxOptions::AdamaxOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<AdamaxOptions>;
template class OptimizerCloneableParamState<AdamaxParamState>;

Tensor Adamax::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::AdamaxRule>(), *this, closure);
}

}  // namespace tern::optim
