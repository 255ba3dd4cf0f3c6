#pragma once

// Losses with the reduction as a number.

#include <cstdint>

#include <tern/compat/names/at.h>

namespace tern::compat {

/// Returns the reduction that the number stands for. Throws Error for another number.
inline Reduction reduction_of(std::int64_t number) {
  TERN_CHECK(number >= 0 && number <= 2, Error, number, " is not a valid value for reduction");
  return static_cast<Reduction>(number);
}

}  // namespace tern::compat

namespace at {
namespace compat = ::tern::compat;

// Reductions as numbers; see compat::reduction_of().
inline Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight,
                                   std::int64_t reduction) {
  return ::tern::binary_cross_entropy(self, target, weight, compat::reduction_of(reduction));
}
inline Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                               const Tensor& weight, const Tensor& pos_weight,
                                               std::int64_t reduction) {
  return ::tern::binary_cross_entropy_with_logits(self, target, weight, pos_weight,
                                                  compat::reduction_of(reduction));
}
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, double margin, std::int64_t reduction) {
  return ::tern::cosine_embedding_loss(input1, input2, target, margin,
                                       compat::reduction_of(reduction));
}
inline Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                                 std::int64_t reduction, std::int64_t ignore_index = -100,
                                 double label_smoothing = 0.0) {
  return ::tern::cross_entropy_loss(self, target, weight, compat::reduction_of(reduction),
                                    ignore_index, label_smoothing);
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                       IntArrayRef target_lengths, std::int64_t blank, std::int64_t reduction,
                       bool zero_infinity = false) {
  return ::tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                          compat::reduction_of(reduction), zero_infinity);
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, std::int64_t blank, std::int64_t reduction,
                       bool zero_infinity = false) {
  return ::tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                          compat::reduction_of(reduction), zero_infinity);
}
inline Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                                   std::int64_t reduction) {
  return ::tern::hinge_embedding_loss(self, target, margin, compat::reduction_of(reduction));
}
inline Tensor huber_loss(const Tensor& self, const Tensor& target, std::int64_t reduction,
                         double delta = 1.0) {
  return ::tern::huber_loss(self, target, compat::reduction_of(reduction), delta);
}
inline Tensor kl_div(const Tensor& self, const Tensor& target, std::int64_t reduction,
                     bool log_target = false) {
  return ::tern::kl_div(self, target, compat::reduction_of(reduction), log_target);
}
inline Tensor l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ::tern::l1_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin, std::int64_t reduction) {
  return ::tern::margin_ranking_loss(input1, input2, target, margin,
                                     compat::reduction_of(reduction));
}
inline Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ::tern::mse_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p,
                                const Scalar& margin, const Tensor& weight,
                                std::int64_t reduction) {
  return ::tern::multi_margin_loss(self, target, p, margin, weight,
                                   compat::reduction_of(reduction));
}
inline Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target,
                                     std::int64_t reduction) {
  return ::tern::multilabel_margin_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                       std::int64_t reduction, std::int64_t ignore_index = -100) {
  return ::tern::nll_loss(self, target, weight, compat::reduction_of(reduction), ignore_index);
}
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                               double eps, std::int64_t reduction) {
  return ::tern::poisson_nll_loss(input, target, log_input, full, eps,
                                  compat::reduction_of(reduction));
}
inline Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction,
                             double beta = 1.0) {
  return ::tern::smooth_l1_loss(self, target, compat::reduction_of(reduction), beta);
}
inline Tensor soft_margin_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ::tern::soft_margin_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, double margin, double p, double eps,
                                  bool swap, std::int64_t reduction) {
  return ::tern::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap,
                                     compat::reduction_of(reduction));
}

}  // namespace at
