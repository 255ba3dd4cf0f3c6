#include <tern/core/ops/copy.h>
#include <tern/nn/modules/loss.h>

namespace tern::nn {

namespace {

/// Returns a copy of a tensor of the options, for a buffer that the module may move.
Tensor own(const Tensor& tensor) { return tensor.defined() ? tensor.detach().clone() : Tensor(); }

}  // namespace

void MSELossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::MSELoss()"; }

Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) {
  return mse_loss(input, target, options.reduction());
}

BCELossImpl::BCELossImpl(const BCELossOptions& options_) : options(options_) {
  BCELossImpl::reset();
}

void BCELossImpl::reset() { bind_buffer("weight", weight, own(options.weight())); }

void BCELossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::BCELoss()"; }

Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) {
  return binary_cross_entropy(input, target, weight, options.reduction());
}

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_)
    : options(options_) {
  BCEWithLogitsLossImpl::reset();
}

void BCEWithLogitsLossImpl::reset() {
  bind_buffer("weight", weight, own(options.weight()));
  bind_buffer("pos_weight", pos_weight, own(options.pos_weight()));
}

void BCEWithLogitsLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::BCEWithLogitsLoss()";
}

Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return binary_cross_entropy_with_logits(input, target, weight, pos_weight, options.reduction());
}

CrossEntropyLossImpl::CrossEntropyLossImpl(const CrossEntropyLossOptions& options_)
    : options(options_) {
  CrossEntropyLossImpl::reset();
}

void CrossEntropyLossImpl::reset() { bind_buffer("weight", weight, own(options.weight())); }

void CrossEntropyLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::CrossEntropyLoss()";
}

Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
  return cross_entropy_loss(input, target, weight, options.reduction(), options.ignore_index(),
                            options.label_smoothing());
}

}  // namespace tern::nn
