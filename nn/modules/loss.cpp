#include <tern/nn/functional/loss.h>
#include <tern/nn/modules/loss.h>

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
  return binary_cross_entropy(input, target, weight, options.reduction());
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
  return binary_cross_entropy_with_logits(input, target, weight, pos_weight, options.reduction());
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

void CTCLossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::CTCLoss()"; }

Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets,
                            const Tensor& input_lengths, const Tensor& target_lengths) {
  return functional::ctc_loss(log_probs, targets, input_lengths, target_lengths, options);
}

}  // namespace tern::nn
