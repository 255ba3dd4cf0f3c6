#pragma once

// torch::nn::functional::detail: the losses of torch::nn::functional with the options as arguments
// one by one, which modules of libtorch call.

#include <cstdint>
#include <optional>
#include <utility>

#include <tern/compat/names/torch.h>

namespace torch::nn::functional::detail {

inline Tensor l1_loss(const Tensor& input, const Tensor& target, ::tern::Reduction reduction) {
  return ::tern::l1_loss(input, target, reduction);
}
inline Tensor mse_loss(const Tensor& input, const Tensor& target, ::tern::Reduction reduction) {
  return functional::mse_loss(input, target, MSELossFuncOptions(reduction));
}
inline Tensor kl_div(const Tensor& input, const Tensor& target,
                     KLDivFuncOptions::reduction_t reduction, bool log_target = false) {
  return functional::kl_div(input, target,
                            KLDivFuncOptions().reduction(reduction).log_target(log_target));
}
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   ::tern::Reduction reduction) {
  return functional::binary_cross_entropy(
      input, target, BinaryCrossEntropyFuncOptions().weight(weight).reduction(reduction));
}
inline Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                               const Tensor& weight, ::tern::Reduction reduction,
                                               const Tensor& pos_weight) {
  BinaryCrossEntropyWithLogitsFuncOptions options;
  return functional::binary_cross_entropy_with_logits(
      input, target, options.weight(weight).reduction(reduction).pos_weight(pos_weight));
}
inline Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin,
                                   ::tern::Reduction reduction) {
  return functional::hinge_embedding_loss(
      input, target, HingeEmbeddingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor multi_margin_loss(const Tensor& input, const Tensor& target, std::int64_t p,
                                double margin, const Tensor& weight, ::tern::Reduction reduction) {
  MultiMarginLossFuncOptions options;
  return functional::multi_margin_loss(
      input, target, options.p(p).margin(margin).weight(weight).reduction(reduction));
}
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, double margin,
                                    ::tern::Reduction reduction) {
  return functional::cosine_embedding_loss(
      input1, input2, target, CosineEmbeddingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, ::tern::Reduction reduction,
                             std::optional<double> beta = std::nullopt) {
  return ::tern::smooth_l1_loss(input, target, reduction, beta.value_or(1));
}
inline Tensor huber_loss(const Tensor& input, const Tensor& target, ::tern::Reduction reduction,
                         double delta = 1) {
  return ::tern::huber_loss(input, target, reduction, delta);
}
inline Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                                     ::tern::Reduction reduction) {
  return functional::multilabel_margin_loss(input, target,
                                            MultilabelMarginLossFuncOptions(reduction));
}
inline Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                               ::tern::Reduction reduction) {
  return functional::soft_margin_loss(input, target, SoftMarginLossFuncOptions(reduction));
}
inline Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                          const Tensor& weight, ::tern::Reduction reduction) {
  return functional::multilabel_soft_margin_loss(
      input, target, MultilabelSoftMarginLossFuncOptions().weight(weight).reduction(reduction));
}
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, double margin, double p, double eps,
                                  bool swap, ::tern::Reduction reduction) {
  TripletMarginLossFuncOptions options;
  return functional::triplet_margin_loss(
      anchor, positive, negative,
      options.margin(margin).p(p).eps(eps).swap(swap).reduction(reduction));
}
inline Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    std::optional<TripletMarginWithDistanceLossFuncOptions::distance_function_t> distance_function,
    double margin, bool swap, ::tern::Reduction reduction) {
  TripletMarginWithDistanceLossFuncOptions options;
  options.distance_function(std::move(distance_function)).margin(margin).swap(swap);
  return functional::triplet_margin_with_distance_loss(anchor, positive, negative,
                                                       options.reduction(reduction));
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, std::int64_t blank,
                       ::tern::Reduction reduction, bool zero_infinity) {
  return ::tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction,
                          zero_infinity);
}
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                               double eps, ::tern::Reduction reduction) {
  PoissonNLLLossFuncOptions options;
  return functional::poisson_nll_loss(
      input, target, options.log_input(log_input).full(full).eps(eps).reduction(reduction));
}
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin, ::tern::Reduction reduction) {
  return functional::margin_ranking_loss(
      input1, input2, target, MarginRankingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                       std::int64_t ignore_index, ::tern::Reduction reduction) {
  NLLLossFuncOptions options;
  return functional::nll_loss(
      input, target, options.weight(weight).ignore_index(ignore_index).reduction(reduction));
}
inline Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            std::int64_t ignore_index, ::tern::Reduction reduction,
                            double label_smoothing) {
  CrossEntropyFuncOptions options;
  options.weight(weight).ignore_index(ignore_index).reduction(reduction);
  return functional::cross_entropy(input, target, options.label_smoothing(label_smoothing));
}

}  // namespace torch::nn::functional::detail
