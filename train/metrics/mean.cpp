#include <tern/train/metrics/mean.h>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/train/metrics/detail/sums.h>

namespace tern::metrics {
namespace {

void check_weight(double weight) {
  TERN_CHECK(weight >= 0, Error, "Mean: a weight must be at least 0, got ", weight);
}

}  // namespace

void Mean::update(StrictNumber value, StrictNumber weight) {
  check_weight(weight);
  if (weight == 0) return;  // 0 * inf would be NaN
  sum_ += weight * value;
  weight_ += weight;
}

void Mean::update(const Tensor& values, StrictNumber weight) {
  check_weight(weight);
  TERN_CHECK(values.defined(), Error, "Mean: expected a tensor, got an undefined one");
  if (weight == 0) return;
  const NoGradGuard no_grad;
  const double count = static_cast<double>(values.numel()) * weight;
  const Tensor sum = values.detach().sum(kDouble) * static_cast<double>(weight);
  detail::add_to(sums_, stack({sum, full_like(sum, count)}));
}

void Mean::update(const Tensor& values, const Tensor& weights) {
  TERN_CHECK(values.defined() && weights.defined(), Error,
             "Mean: expected two tensors, got undefined ", values.defined() ? "weights" : "values");
  const NoGradGuard no_grad;
  bool fits = weights.dim() <= values.dim();
  for (std::int64_t i = 1; fits && i <= weights.dim(); ++i) {
    fits = weights.size(-i) == 1 || weights.size(-i) == values.size(-i);
  }
  TERN_CHECK(fits, ShapeError, "Mean: weights ", weights.sizes(),
             " do not broadcast to the values' sizes ", values.sizes());
  const Tensor all = weights.detach().to(kDouble).expand(values.sizes());
  const Tensor sum = where(all == 0, 0.0, values.detach().to(kDouble) * all).sum();
  detail::add_to(sums_, stack({sum, all.sum()}));
}

Tensor Mean::host_sums() const {
  return detail::on_host(sums_, 2, kDouble) + tensor({sum_, weight_}, kDouble);
}

Tensor Mean::compute() const {
  const Tensor sums = host_sums();
  return sums[0] / sums[1];
}

void Mean::reset() { *this = Mean(); }

State Mean::state_dict() const {
  State state;
  state.insert(detail::kSums, host_sums());
  return state;
}

void Mean::load_state_dict(const State& state) {
  const Tensor sums = detail::loaded_sums(state, "Mean", 2, kDouble);
  reset();
  sums_ = sums;
}

}  // namespace tern::metrics
