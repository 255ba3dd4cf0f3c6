#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/rprop.h>

namespace tern::optim {

auto RpropOptions::fields() {
  return std::make_tuple(std::pair("lr", &RpropOptions::lr_),
                         std::pair("etas", &RpropOptions::etas_),
                         std::pair("step_sizes", &RpropOptions::step_sizes_),
                         std::pair(Later("maximize"), &RpropOptions::maximize_));
}

template class OptimizerCloneableOptions<RpropOptions>;

auto RpropParamState::fields() {
  return std::make_tuple(std::pair("step", &RpropParamState::step_),
                         std::pair("prev", &RpropParamState::prev_),
                         std::pair("step_size", &RpropParamState::step_size_));
}

template class OptimizerCloneableParamState<RpropParamState>;

RpropOptions::RpropOptions(double lr_value) { lr(lr_value); }

void RpropOptions::check() const {
  detail::check_lr(lr());
  TERN_CHECK(std::get<0>(etas()) > 0 && std::get<0>(etas()) < 1 && std::get<1>(etas()) > 1, Error,
             "Invalid eta values: ", std::get<0>(etas()), ", ", std::get<1>(etas()));
  TERN_CHECK(std::get<0>(step_sizes()) <= std::get<1>(step_sizes()), Error,
             "Invalid step_sizes: ", std::get<0>(step_sizes()), ", ", std::get<1>(step_sizes()));
}

void RpropParamState::check() const {
  detail::check_saved(step_, "prev", prev_);
  detail::check_saved(step_, "step_size", step_size_);
}

namespace {

void set_rprop_rule(const OptimizerOptions& group, kernels::OptimArgs& args) {
  using Rule = kernels::RpropRule;
  const auto& options = static_cast<const RpropOptions&>(group);
  kernels::set_optim_rule<Rule>(
      args, options.maximize() ? Rule::kMaximize : 0U,
      {std::get<0>(options.etas()), std::get<1>(options.etas()), std::get<0>(options.step_sizes()),
       std::get<1>(options.step_sizes())});
}

detail::StateFields rprop_fields(OptimizerParamState& state) {
  auto& fields = static_cast<RpropParamState&>(state);
  return {.tensors = {&fields.prev(), &fields.step_size()}, .step = &fields.step()};
}

}  // namespace

Tensor Rprop::step(LossClosure closure) {
  return detail::fused_step(
      {.name = "Rprop",
       .set_rule = set_rprop_rule,
       .fields_of = rprop_fields,
       .initial_value = [](const OptimizerOptions& options,
                           int k) { return k == 1 ? options.get_lr() : 0.0; }},
      *this, closure);
}

}  // namespace tern::optim
