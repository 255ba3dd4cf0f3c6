#include <algorithm>
#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/nn/optim/detail/step.h>
#include <tern/nn/optim/muon.h>

namespace tern::optim {

MuonOptions::MuonOptions() = default;
MuonOptions::MuonOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<MuonOptions>;
template class OptimizerCloneableParamState<MuonParamState>;

void MuonOptions::check() const {
  OptimizerOptions::check();
  const auto& adjust = adjust_lr_fn();
  TERN_CHECK(ns_steps() < 100, Error,
             "Number of steps must be less than 100 for computational efficiency, got ",
             ns_steps());
  TERN_CHECK(!adjust || *adjust == "original" || *adjust == "match_rms_adamw" ||
                 *adjust == "spectral_unclamped",
             Error, "Adjust learning rate function ", *adjust, " is not supported");
}

namespace {

void check_matrices(const Optimizer& optimizer) {
  for (const OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      TERN_CHECK(parameter.dim() == 2, ShapeError,
                 "Muon only supports 2D parameters whereas we found a parameter with size: ",
                 parameter.sizes());
    }
  }
}

/// Returns a matrix with the singular vectors of `grad` and singular values close to 1.
Tensor orthogonalized(const Tensor& grad, const MuonOptions& options) {
  const auto [a, b, c] = options.ns_coefficients();
  const bool is_tall = grad.size(0) > grad.size(1);
  Tensor x = grad.to(kBFloat16);
  if (is_tall) x = x.t();
  x = x / x.norm().clamp_min(options.eps());
  for (std::int64_t i = 0; i < options.ns_steps(); ++i) {
    const Tensor gram = x.matmul(x.t());
    x = addmm(x, addmm(gram, gram, gram, b, c), x, a);
  }
  return is_tall ? x.t() : x;
}

double adjustment(const MuonOptions& options, const Tensor& parameter) {
  const auto rows = static_cast<double>(parameter.size(0));
  const auto columns = static_cast<double>(parameter.size(1));
  const std::string name = options.adjust_lr_fn().value_or("original");
  if (name == "match_rms_adamw") return 0.2 * std::sqrt(std::max(rows, columns));
  return std::sqrt(name == "original" ? std::max(1.0, rows / columns) : rows / columns);
}

void step_muon(const OptimizerOptions& group, OptimizerParamState& param_state,
               const Tensor& parameter, const Tensor& grad) {
  if (parameter.numel() == 0) return;
  const auto& options = static_cast<const MuonOptions&>(group);
  Tensor& buffer = static_cast<MuonParamState&>(param_state).momentum_buffer();
  buffer = buffer.defined() ? buffer.to(parameter.device(), parameter.dtype())
                            : zeros(parameter.sizes(), parameter.options());
  buffer.lerp_(grad, 1 - options.momentum());
  const Tensor direction = options.nesterov() ? grad.lerp(buffer, options.momentum()) : buffer;
  const Tensor update = orthogonalized(direction, options).to(parameter.dtype());
  parameter.mul_(1 - options.lr() * options.weight_decay());
  parameter.add_(update, -options.lr() * adjustment(options, parameter));
}

}  // namespace

Muon::Muon(std::vector<OptimizerParamGroup> param_groups, const MuonOptions& defaults)
    : OptimizerOf(std::move(param_groups), defaults) {
  check_matrices(*this);
}
Muon::Muon(std::vector<Tensor> params, const MuonOptions& defaults)
    : OptimizerOf(std::move(params), defaults) {
  check_matrices(*this);
}

Tensor Muon::step(LossClosure closure) {
  check_matrices(*this);
  return detail::take_step({.name = "Muon", .step_one = step_muon}, *this, closure);
}

}  // namespace tern::optim
