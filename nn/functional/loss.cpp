#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/nn/functional/loss.h>

namespace tern::nn::functional {

namespace {

/// Returns `var` in a shape that broadcasts to the input.
Tensor variance_of(const Tensor& input, const Tensor& var) {
  if (var.sizes() == input.sizes()) return var;
  const std::size_t dims = input.sizes().size();
  if (dims > 0 && var.sizes() == input.sizes().slice(0, dims - 1)) return var.unsqueeze(-1);
  std::int64_t sum = 0;  // of the sizes of `var` that differ: a single 1 may
  bool fits = var.sizes().size() == dims;
  for (std::size_t d = 0; fits && d < dims; ++d) {
    if (var.sizes()[d] != input.sizes()[d]) sum += var.sizes()[d];
  }
  TERN_CHECK(fits && sum == 1, ShapeError, "var is of incorrect size: got ", var.sizes(),
             " for an input of ", input.sizes());
  return var;
}

}  // namespace

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, StrictNumber beta) {
  TERN_CHECK(!options.beta(), Error,
             "smooth_l1_loss: expected beta not to be provided in 'options', but got ",
             *options.beta());
  return tern::smooth_l1_loss(input, target, options.reduction(), beta);
}

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options) {
  const KLDivReduction reduction = options.reduction();
  const Tensor loss = tern::kl_div(input, target, reduction.sum, options.log_target());
  return reduction.is_batch_mean && input.dim() != 0 ? loss / input.size(0) : loss;
}

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                         const GaussianNLLLossFuncOptions& options) {
  TERN_OP("gaussian_nll_loss", input, target, var);
  TERN_AUTOCAST_INNER_OPS();
  Tensor bounded = variance_of(input, var).clone();
  TERN_CHECK(var.is_meta() || !(var < 0).any().item<bool>(), Error,
             "var has negative entry/entries");
  {
    const NoGradGuard no_grad;  // the gradient ignores the bound
    bounded.clamp_min_(options.eps());
  }
  Tensor each = 0.5 * (log(bounded) + square(input - target) / bounded);
  if (options.full()) {
    constexpr double kHalfLogTwoPi = 0.918938533204672741780;
    each = each + kHalfLogTwoPi;
  }
  return tern::detail::reduced(each, options.reduction());
}

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, StrictNumber var,
                         const GaussianNLLLossFuncOptions& options) {
  TERN_OP("gaussian_nll_loss", input, target);
  TERN_AUTOCAST_INNER_OPS();
  return gaussian_nll_loss(input, target, full_like(input, double{var}), options);
}

}  // namespace tern::nn::functional
