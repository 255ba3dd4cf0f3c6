#pragma once

#include <tern/core/ops/loss/reduction.h>
#include <tern/core/tensor/tensor.h>

// Losses that ask for a margin.

namespace tern {

/// Returns log(1 + e^(-target * input)) for targets 1 and -1, by default its mean. The target
/// broadcasts to the input. Throws Error if the target requires grad, ShapeError if it does not
/// fit, DTypeError unless the input has a floating dtype.
TERN_API Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                                 Reduction reduction = Reduction::Mean);
/// Returns the input x where the target is 1, max(0, margin - x) where it is -1, and their sum for
/// any other target; by default the mean. input and target broadcast.
TERN_API Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                                     StrictNumber margin = 1.0,
                                     Reduction reduction = Reduction::Mean);
/// Returns max(0, -target (input1 - input2) + margin), by default its mean: a target of 1 ranks the
/// first input higher, -1 the second. The tensors broadcast.
TERN_API Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, StrictNumber margin = 0.0,
                                    Reduction reduction = Reduction::Mean);
/// Returns 1 - c for a target of 1 and max(0, c - margin) for -1, where c is the cosine of the
/// angle between the vectors input1 and input2; by default the mean.
///
/// Shape: inputs [N, D] and target [N], or [D] and []
/// Throws: ShapeError for other numbers of dimensions.
TERN_API Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                      const Tensor& target, StrictNumber margin = 0.0,
                                      Reduction reduction = Reduction::Mean);
/// Returns max(0, |anchor - positive| - |anchor - negative| + margin) with pairwise_distance(), by
/// default its mean. With `swap` the distance of positive and negative counts where it is smaller
/// than that of anchor and negative (Balntas et al., 2016).
///
/// Shape: three tensors [..., D] that broadcast -> [] ([...] with reduction kNone)
/// Throws: ShapeError unless they have the same number of dimensions.
TERN_API Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                    const Tensor& negative, StrictNumber margin = 1.0,
                                    StrictNumber p = 2.0, StrictNumber eps = 1e-6,
                                    StrictBool swap = false, Reduction reduction = Reduction::Mean);
/// Returns sum_i max(0, margin - x[t] + x[i])^p / C over the classes i other than the target t, by
/// default its mean over the samples; p is 1 or 2. A sample counts weight[t] times.
///
/// Shape: input [N, C] or [C]; int64 target [N], or [] and [1] for one sample; weight [C]
/// Dtype: float32 and float64
/// Throws: IndexError for a target out of range, ShapeError and DTypeError when the arguments do
/// not fit, Error for another p and for a weight that requires grad.
TERN_API Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const Scalar& p = 1,
                                  const Scalar& margin = 1, const Tensor& weight = {},
                                  Reduction reduction = Reduction::Mean);
/// Returns sum_ij max(0, 1 - x[i] + x[j]) / C over the labels i of a sample and the classes j that
/// are no label, by default its mean over the samples. A row of the target lists the labels up to
/// the first -1.
///
/// Shape: input [N, C] or [C]; int64 target of the same sizes
/// Dtype: float32 and float64
/// Throws: IndexError for a label out of range, ShapeError and DTypeError when the arguments do not
/// fit.
TERN_API Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                                       Reduction reduction = Reduction::Mean);

}  // namespace tern
