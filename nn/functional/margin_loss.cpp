#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/nn/functional/margin_loss.h>

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
                                       : pairwise_distance(a, b);
  };
  return tern::detail::triplet_loss(distance, anchor, positive, negative, options.margin(),
                                    options.swap(), options.reduction());
}

}  // namespace tern::nn::functional
