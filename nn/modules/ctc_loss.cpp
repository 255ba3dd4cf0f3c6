#include <tern/nn/modules/ctc_loss.h>

namespace tern::nn {

void CTCLossImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::CTCLoss()"; }

Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets,
                            const Tensor& input_lengths, const Tensor& target_lengths) {
  return functional::ctc_loss(log_probs, targets, input_lengths, target_lengths, options);
}

}  // namespace tern::nn
