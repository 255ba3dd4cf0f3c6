#include <tern/nn/modules/loss.h>

#include <algorithm>

#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/loss/detail/loss.h>

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

Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  if (tern::detail::as_libtorch) tern::detail::warn_about_sizes(input, target);
  return tern::mse_loss(input, target, options.reduction());
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options) {
  if (tern::detail::as_libtorch) tern::detail::warn_about_sizes(input, target);
  return tern::smooth_l1_loss(input, target, options.reduction(), options.beta().value_or(1.0));
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options) {
  if (tern::detail::as_libtorch) tern::detail::warn_about_sizes(input, target);
  return tern::huber_loss(input, target, options.reduction(), options.delta());
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, StrictNumber beta) {
  TERN_CHECK(!options.beta(), Error,
             "smooth_l1_loss: expected beta not to be provided in 'options', but got ",
             *options.beta());
  if (tern::detail::as_libtorch) tern::detail::warn_about_sizes(input, target);
  return tern::smooth_l1_loss(input, target, options.reduction(), beta);
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options) {
  if (tern::detail::as_libtorch) {
    const tern::detail::OpScope scope("binary_cross_entropy");
    tern::detail::check_bce_sizes(input, target);
  }
  return tern::binary_cross_entropy(input, target, options.weight(), options.reduction());
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  if (tern::detail::as_libtorch) {
    const tern::detail::OpScope scope("binary_cross_entropy_with_logits");
    tern::detail::check_logits_sizes(input, target);
  }
  return tern::binary_cross_entropy_with_logits(input, target, options.weight(),
                                                options.pos_weight(), options.reduction());
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

namespace tern::nn {

void MSELossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::MSELoss()"; }

Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::mse_loss(input, target, options);
}

void L1LossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::L1Loss()"; }

Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::l1_loss(input, target, options);
}

void SmoothL1LossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::SmoothL1Loss";
}

Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::smooth_l1_loss(input, target, options);
}

void HuberLossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::HuberLoss"; }

Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::huber_loss(input, target, options);
}

void BCELossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::BCELoss()"; }

Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::binary_cross_entropy(
      input, target,
      functional::BinaryCrossEntropyFuncOptions().weight(weight).reduction(options.reduction()));
}

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_)
    : options(options_) {
  BCEWithLogitsLossImpl::reset();
}

void BCEWithLogitsLossImpl::reset() {
  bind_buffer("weight", weight, detail::own(options.weight()));
  bind_buffer("pos_weight", pos_weight, detail::own(options.pos_weight()));
}

void BCEWithLogitsLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::BCEWithLogitsLoss()";
}

Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::binary_cross_entropy_with_logits(
      input, target,
      functional::BinaryCrossEntropyWithLogitsFuncOptions()
          .weight(weight)
          .pos_weight(pos_weight)
          .reduction(options.reduction()));
}

void NLLLossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::NLLLoss()"; }

Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) {
  return nll_loss(input, target, weight, options.reduction(), options.ignore_index());
}

void CrossEntropyLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::CrossEntropyLoss()";
}

Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
  return cross_entropy_loss(input, target, weight, options.reduction(), options.ignore_index(),
                            options.label_smoothing());
}

void PoissonNLLLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::PoissonNLLLoss()";
}

Tensor PoissonNLLLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::poisson_nll_loss(input, target, options);
}

void GaussianNLLLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::GaussianNLLLoss()";
}

Tensor GaussianNLLLossImpl::forward(const Tensor& input, const Tensor& target, const Tensor& var) {
  return functional::gaussian_nll_loss(input, target, var, options);
}

void KLDivLossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::KLDivLoss()"; }

Tensor KLDivLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::kl_div(input, target, options);
}

}  // namespace tern::nn
