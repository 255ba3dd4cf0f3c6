#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/nn/optim/adafactor.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim {

auto AdafactorOptions::fields() {
  return std::make_tuple(std::pair("lr", &AdafactorOptions::lr_),
                         std::pair("beta2_decay", &AdafactorOptions::beta2_decay_),
                         std::pair("eps", &AdafactorOptions::eps_),
                         std::pair("d", &AdafactorOptions::d_),
                         std::pair("weight_decay", &AdafactorOptions::weight_decay_),
                         std::pair("maximize", &AdafactorOptions::maximize_));
}

template class OptimizerCloneableOptions<AdafactorOptions>;

auto AdafactorParamState::fields() {
  return std::make_tuple(std::pair("step", &AdafactorParamState::step_),
                         std::pair("row_var", &AdafactorParamState::row_var_),
                         std::pair("col_var", &AdafactorParamState::col_var_),
                         std::pair("variance", &AdafactorParamState::variance_));
}

template class OptimizerCloneableParamState<AdafactorParamState>;

AdafactorOptions::AdafactorOptions(double lr_value) { lr(lr_value); }

void AdafactorOptions::check() const {
  const auto [epsilon1, epsilon2] = eps();
  detail::check_newer_option("Learning rate", lr());
  TERN_CHECK(beta2_decay() <= 0, Error, "beta2_decay should be <= 0 but is: ", beta2_decay());
  detail::check_newer_option("epsilon1", epsilon1.value_or(0));
  detail::check_newer_option("epsilon2", epsilon2);
  TERN_CHECK(d() >= 1, Error, "Clipping threshold d should be >= 1 but is: ", d());
  detail::check_newer_option("weight_decay", weight_decay());
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
  detail::load_entry(state, "step", parameter, step_);
  if (parameter.dim() > 1) {
    const Tensor values = parameter.detach();
    detail::load_entry(state, "row_var", values.new_empty(reduced_sizes(values, 1)), row_var_);
    detail::load_entry(state, "col_var", values.new_empty(reduced_sizes(values, 2)), col_var_);
  } else {
    detail::load_entry(state, "variance", parameter, variance_);
  }
}

void AdafactorParamState::check() const {
  TERN_CHECK(step_ == 0 || variance_.defined() || (row_var_.defined() && col_var_.defined()), Error,
             "loaded state dict has no variance for a parameter at step ", step_);
}

Tensor Adafactor::step(LossClosure closure) {
  return detail::composed_step("Adafactor", *this, closure, step_adafactor);
}

}  // namespace tern::optim
