#pragma once

#include <tern/core/ops/loss/reduction.h>
#include <tern/core/tensor/tensor.h>

// The loss of sequences without alignment.

namespace tern {

/// Returns the connectionist temporal classification loss (Graves et al., 2006): -log of the
/// probability that a sequence of labels is read from the input, summed over all alignments with
/// repeated labels and blanks. The mean divides each loss by the length of its target first. A
/// target that needs more steps than its input has costs infinity, or 0 with `zero_infinity`.
///
/// Shape: log_probs [T, N, C] or [T, C], from log_softmax(); targets [N, S], or the targets of all
/// samples after each other, [sum of target_lengths]; N lengths each
/// Dtype: float32 and float64; targets and lengths are integers
/// Gradient: with respect to log_probs, of the first order. As in PyTorch it is the gradient of the
/// logits before log_softmax(), which that function does not change.
/// Devices: computed on the CPU; tensors of a GPU are copied there and back.
/// Throws: ShapeError and DTypeError when the arguments do not fit, IndexError for a label out of
/// range, Error for a length or a blank out of range.
TERN_API Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets,
                         const Tensor& input_lengths, const Tensor& target_lengths,
                         StrictInt blank = 0, Reduction reduction = Reduction::Mean,
                         StrictBool zero_infinity = false);
TERN_API Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                         IntArrayRef target_lengths, StrictInt blank = 0,
                         Reduction reduction = Reduction::Mean, StrictBool zero_infinity = false);

}  // namespace tern
