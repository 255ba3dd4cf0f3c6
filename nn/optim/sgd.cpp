#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/sgd.h>

namespace tern::optim {

SGDOptions::SGDOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<SGDOptions>;
template class OptimizerCloneableParamState<SGDParamState>;

void SGDOptions::check() const {
  OptimizerOptions::check();
  TERN_CHECK(!nesterov() || (momentum() > 0 && dampening() == 0), Error,
             "Nesterov momentum requires a momentum and zero dampening, got ", momentum(), " and ",
             dampening());
}

SGD::SGD(std::vector<OptimizerParamGroup> param_groups, const SGDOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
SGD::SGD(std::vector<Tensor> params, const SGDOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> SGD::make_param_state() const {
  return std::make_unique<SGDParamState>();
}

Tensor SGD::step(LossClosure closure) {
  return detail::take_step(detail::step_by<kernels::SgdRule>(), *this, closure);
}

}  // namespace tern::optim
