#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/rprop.h>

namespace tern::optim {

RpropOptions::RpropOptions() = default;
RpropOptions::RpropOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<RpropOptions>;
template class OptimizerCloneableParamState<RpropParamState>;

void RpropOptions::check() const {
  OptimizerOptions::check();
  const auto [eta_minus, eta_plus] = etas();
  TERN_CHECK(eta_minus > 0 && eta_minus < 1 && eta_plus > 1, Error,
             "Invalid eta values: ", eta_minus, ", ", eta_plus);
  const auto [lowest, highest] = step_sizes();
  TERN_CHECK(lowest <= highest, Error, "Invalid step_sizes: ", lowest, ", ", highest);
}

namespace {

double first_step_size(const OptimizerOptions& options, int k) {
  return k == 1 ? options.get_lr() : 0;
}

}  // namespace

Tensor Rprop::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::RpropRule>({.initial_value = first_step_size}),
                           *this, closure);
}

}  // namespace tern::optim
