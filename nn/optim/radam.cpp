#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/radam.h>

namespace tern::optim {

RAdamOptions::RAdamOptions() = default;
RAdamOptions::RAdamOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<RAdamOptions>;
template class OptimizerCloneableParamState<RAdamParamState>;

Tensor RAdam::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::RadamRule>(), *this, closure);
}

}  // namespace tern::optim
