#include <tern/nn/modules/margin_loss.h>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/print.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn::functional {

namespace {

void check_margin(double margin) {
  TERN_CHECK(margin > 0, Error, "margin must be greater than 0, got ", margin);
}

}  // namespace

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options) {
  TERN_OP("multilabel_soft_margin_loss", input, target);
  TERN_AUTOCAST_INNER_OPS();
  Tensor each = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input));
  if (options.weight().defined()) each = each * options.weight();
  each = each.sum(-1) / input.size(-1);
  return tern::detail::reduced(each, options.reduction());
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options) {
  TERN_OP("margin_ranking_loss", input1, input2, target);
  TERN_AUTOCAST_INNER_OPS();
  TERN_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(), ShapeError,
             "All input tensors should have same dimension but got sizes: input1: ", input1.sizes(),
             ", input2: ", input2.sizes(), ", target: ", target.sizes());
  return tern::margin_ranking_loss(input1, input2, target, options.margin(), options.reduction());
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options) {
  TERN_OP("triplet_margin_loss", anchor, positive, negative);
  TERN_AUTOCAST_INNER_OPS();
  check_margin(options.margin());
  return tern::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(),
                                   options.eps(), options.swap(), options.reduction());
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& options) {
  TERN_OP("triplet_margin_with_distance_loss", anchor, positive, negative);
  TERN_AUTOCAST_INNER_OPS();
  check_margin(options.margin());
  const auto distance = [&options](const Tensor& a, const Tensor& b) {
    return options.distance_function() ? (*options.distance_function())(a, b)
                                       : tern::pairwise_distance(a, b);
  };
  return tern::detail::triplet_loss(distance, anchor, positive, negative, options.margin(),
                                    options.swap(), options.reduction());
}

}  // namespace tern::nn::functional

namespace tern::nn {

namespace {

const char* name_of(Reduction reduction) {
  if (reduction == kNone) return "kNone";
  return reduction == kMean ? "kMean" : "kSum";
}

}  // namespace

void HingeEmbeddingLossImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::HingeEmbeddingLoss(margin=", options.margin(), ')'});
}

Tensor HingeEmbeddingLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::hinge_embedding_loss(input, target, options);
}

void SoftMarginLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::SoftMarginLoss()";
}

Tensor SoftMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::soft_margin_loss(input, target, options);
}

void MultiMarginLossImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream,
                   {"tern::nn::MultiMarginLoss(p=", options.p(), ", margin=", options.margin(),
                    ", weight=", weight, ", reduction=", name_of(options.reduction()), ')'});
}

Tensor MultiMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
  return tern::multi_margin_loss(input, target, options.p(), options.margin(), weight,
                                 options.reduction());
}

void MultiLabelMarginLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::MultiLabelMarginLoss()";
}

Tensor MultiLabelMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::multilabel_margin_loss(input, target, options);
}

void MultiLabelSoftMarginLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::MultiLabelSoftMarginLoss()";
}

Tensor MultiLabelSoftMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
  functional::MultilabelSoftMarginLossFuncOptions current = options;
  return functional::multilabel_soft_margin_loss(input, target, current.weight(weight));
}

void MarginRankingLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::MarginRankingLoss()";
}

Tensor MarginRankingLossImpl::forward(const Tensor& input1, const Tensor& input2,
                                      const Tensor& target) {
  return functional::margin_ranking_loss(input1, input2, target, options);
}

void CosineEmbeddingLossImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::CosineEmbeddingLoss(margin=", options.margin(), ')'});
}

Tensor CosineEmbeddingLossImpl::forward(const Tensor& input1, const Tensor& input2,
                                        const Tensor& target) {
  return functional::cosine_embedding_loss(input1, input2, target, options);
}

void TripletMarginLossImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream,
                   {"tern::nn::TripletMarginLoss(margin=", options.margin(), ", p=", options.p(),
                    ", eps=", options.eps(), ", swap=", detail::text_of_bool(options.swap()), ')'});
}

Tensor TripletMarginLossImpl::forward(const Tensor& anchor, const Tensor& positive,
                                      const Tensor& negative) {
  return functional::triplet_margin_loss(anchor, positive, negative, options);
}

void TripletMarginWithDistanceLossImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::TripletMarginWithDistanceLoss(margin=", options.margin(),
                            ", swap=", detail::text_of_bool(options.swap()), ')'});
}

Tensor TripletMarginWithDistanceLossImpl::forward(const Tensor& anchor, const Tensor& positive,
                                                  const Tensor& negative) {
  return functional::triplet_margin_with_distance_loss(anchor, positive, negative, options);
}

}  // namespace tern::nn
