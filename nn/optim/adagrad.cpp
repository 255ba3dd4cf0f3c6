#include <tern/nn/optim/adagrad.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

AdagradOptions::AdagradOptions() = default;
AdagradOptions::AdagradOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<AdagradOptions>;
template class OptimizerCloneableParamState<AdagradParamState>;

namespace {

double first_sum(const OptimizerOptions& options, int /*k*/) {
  return static_cast<const AdagradOptions&>(options).initial_accumulator_value();
}

}  // namespace

Tensor Adagrad::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::AdagradRule>({.initial_value = first_sum}),
                           *this, closure);
}

}  // namespace tern::optim
