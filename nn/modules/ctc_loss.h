#pragma once

#include <cstdint>

#include <tern/core/ops/loss/ctc_loss.h>
#include <tern/nn/module/stateless.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/options/reduction_option.h>

namespace tern::nn {

/// Options of CTCLoss.
struct CTCLossOptions : detail::ReductionOption {
  /// The class that stands for no label.
  TERN_ARG(std::int64_t, blank) = 0;
  /// How the losses of the samples are reduced; the mean divides by the target lengths first.
  TERN_ARG(Reduction, reduction) = kMean;
  /// True: an infinite loss and its gradient become 0.
  TERN_ARG(bool, zero_infinity) = false;
};

namespace functional {

/// Options of ctc_loss(); the same as those of the module.
using CTCLossFuncOptions = CTCLossOptions;

/// Returns the connectionist temporal classification loss; see tern::ctc_loss().
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, const CTCLossFuncOptions& options = {}) {
  return tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, options.blank(),
                        options.reduction(), options.zero_infinity());
}

}  // namespace functional

/// Connectionist temporal classification (Graves et al., 2006): -log of the probability of a
/// sequence of labels that is shorter than its input and not aligned with it.
///
/// Shape: log_probs [T, N, C] or [T, C]; targets [N, S] or all after each other; N lengths each ->
/// [] ([N] with reduction kNone)
///
/// Example:
///   Tensor loss = nn::CTCLoss()(logits.log_softmax(2), labels, input_lengths, label_lengths);
class TERN_API CTCLossImpl : public detail::Stateless<CTCLossImpl, CTCLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::ctc_loss().
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths);
};
TERN_MODULE(CTCLoss);

}  // namespace tern::nn
