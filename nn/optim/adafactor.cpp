#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/nn/optim/adafactor.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

AdafactorOptions::AdafactorOptions() = default;
AdafactorOptions::AdafactorOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<AdafactorOptions>;
template class OptimizerCloneableParamState<AdafactorParamState>;

void AdafactorOptions::check() const {
  OptimizerOptions::check();
  const auto [epsilon1, epsilon2] = eps();
  detail::check_option({.key = "eps", .newer = "epsilon1"}, epsilon1.value_or(0));
  detail::check_option({.key = "eps", .newer = "epsilon2"}, epsilon2);
}

namespace {

/// Returns the sizes of a parameter with 1 in dimension `dim`, counted from the end.
std::vector<std::int64_t> reduced_sizes(const Tensor& parameter, std::size_t dim) {
  std::vector<std::int64_t> sizes(parameter.sizes().begin(), parameter.sizes().end());
  sizes[sizes.size() - dim] = 1;
  return sizes;
}

/// Returns a state on the device and in the dtype of the parameter, zeros before the first step.
Tensor& adafactor_state(Tensor& state, const std::vector<std::int64_t>& sizes,
                        const Tensor& parameter) {
  state = state.defined() ? state.to(parameter.device(), parameter.dtype())
                          : zeros(sizes, parameter.options());
  return state;
}

/// Returns the mean of the squared gradient over a dimension.
Tensor mean_square(const Tensor& grad, std::int64_t dim) {
  return grad.norm(2, {dim}, true).square_().div_(grad.size(dim));
}

double epsilon_of(ScalarType dtype) {
  if (dtype == kDouble) return std::numeric_limits<double>::epsilon();
  if (dtype == kFloat) return std::numeric_limits<float>::epsilon();
  return dtype == kHalf ? 0x1p-10 : 0x1p-7;
}

double root_mean_square(const Tensor& x) {
  return x.norm().item<double>() / std::sqrt(static_cast<double>(x.numel()));
}

void step_adafactor(const OptimizerOptions& group, OptimizerParamState& param_state,
                    const Tensor& parameter, const Tensor& gradient) {
  if (parameter.numel() == 0) return;
  const auto& options = static_cast<const AdafactorOptions&>(group);
  auto& state = static_cast<AdafactorParamState&>(param_state);
  const auto [given_epsilon, epsilon2] = options.eps();
  const double epsilon1 = given_epsilon.value_or(epsilon_of(parameter.dtype()));
  const Tensor grad = options.maximize() ? -gradient : gradient;
  const auto t = static_cast<double>(state.step() + 1);
  const double weight = std::pow(t, options.beta2_decay());
  const double alpha = std::max(epsilon2, root_mean_square(parameter.detach())) *
                       std::min(options.lr(), 1 / std::sqrt(t));
  Tensor update;
  if (grad.dim() > 1) {
    Tensor& row = adafactor_state(state.row_var(), reduced_sizes(parameter, 1), parameter);
    Tensor& column = adafactor_state(state.col_var(), reduced_sizes(parameter, 2), parameter);
    row.lerp_(mean_square(grad, -1), weight);
    column.lerp_(mean_square(grad, -2), weight);
    update = row.matmul(column).div_(row.mean(-2, true).clamp_min_(epsilon1));
  } else {
    Tensor& variance = adafactor_state(state.variance(), parameter.sizes().vec(), parameter);
    variance.lerp_(grad * grad, weight);
    update = variance.clone();
  }
  update.clamp_min_(epsilon1 * epsilon1).rsqrt_().mul_(grad);
  const double scale = std::max(1.0, root_mean_square(update) / options.d());
  if (options.weight_decay() != 0) parameter.mul_(1 - options.lr() * options.weight_decay());
  parameter.add_(update, -alpha / scale);
  state.step(state.step() + 1);
}

}  // namespace

void AdafactorParamState::load(const State& state, const Tensor& parameter) {
  detail::load_entry(state, "step", parameter, step());
  if (parameter.dim() > 1) {
    const Tensor values = parameter.detach();
    detail::load_entry(state, "row_var", values.new_empty(reduced_sizes(values, 1)), row_var());
    detail::load_entry(state, "col_var", values.new_empty(reduced_sizes(values, 2)), col_var());
  } else {
    detail::load_entry(state, "variance", parameter, variance());
  }
}

void AdafactorParamState::check() const {
  TERN_CHECK(step() == 0 || variance().defined() || (row_var().defined() && col_var().defined()),
             Error, "loaded state dict has no variance for a parameter at step ", step());
}

Tensor Adafactor::step(LossClosure closure) {
  return detail::take_step({.name = "Adafactor", .step_one = step_adafactor}, *this, closure);
}

}  // namespace tern::optim
