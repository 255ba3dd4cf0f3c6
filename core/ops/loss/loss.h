#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// How a loss combines the losses of its elements: not at all, by their mean, or by their sum.
enum class Reduction : std::uint8_t { None, Mean, Sum };
/// Short names of the reductions, as in libtorch.
constexpr Reduction kNone = Reduction::None;
constexpr Reduction kMean = Reduction::Mean;
constexpr Reduction kSum = Reduction::Sum;

/// Returns the squared error (input - target)^2, by default its mean over all elements. input and
/// target broadcast. Throws NotImplementedError unless one of them has a floating dtype.
TERN_API Tensor mse_loss(const Tensor& input, const Tensor& target,
                         Reduction reduction = Reduction::Mean);
/// Returns the distance |input - target|, by default its mean over all elements. input and target
/// broadcast. Integers have no mean: NotImplementedError.
TERN_API Tensor l1_loss(const Tensor& input, const Tensor& target,
                        Reduction reduction = Reduction::Mean);
/// Returns d^2 / (2 beta) for distances d = |input - target| below `beta`, else d - beta / 2, by
/// default the mean over all elements; with beta = 0 this is l1_loss(). input and target broadcast.
/// Throws Error for a negative beta, NotImplementedError unless one of the tensors has a floating
/// dtype.
TERN_API Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                               Reduction reduction = Reduction::Mean, StrictNumber beta = 1.0);
/// Returns d^2 / 2 for distances d = |input - target| up to `delta`, else delta (d - delta / 2), by
/// default the mean over all elements (Huber, 1964). input and target broadcast. Throws Error
/// unless delta > 0, NotImplementedError unless one of the tensors has a floating dtype.
TERN_API Tensor huber_loss(const Tensor& input, const Tensor& target,
                           Reduction reduction = Reduction::Mean, StrictNumber delta = 1.0);
/// Returns the terms p (log p - input) of the Kullback-Leibler divergence of a distribution p =
/// target from one whose logarithms are the input, by default their mean; a term is 0 where p = 0.
/// With `log_target` the target holds log p. The divergence of a batch is the sum divided by the
/// batch size. input and target broadcast. Throws DTypeError unless both dtypes are floating.
TERN_API Tensor kl_div(const Tensor& input, const Tensor& target,
                       Reduction reduction = Reduction::Mean, StrictBool log_target = false);
/// Returns the negative log-likelihood of counts t = target under Poisson distributions, by default
/// its mean. The input holds the logarithms x of the expectations: e^x - t x. Without `log_input`
/// it holds the expectations: x - t log(x + eps). `full` adds Stirling's approximation of log(t!),
/// t log t - t + log(2 pi t) / 2, where t > 1. input and target broadcast.
TERN_API Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                                 StrictBool log_input = true, StrictBool full = false,
                                 StrictNumber eps = 1e-8, Reduction reduction = Reduction::Mean);
/// Returns the binary cross-entropy -w (t log x + (1 - t) log(1 - x)) of probabilities x = input
/// and t = target, by default its mean. The logs are at least -100. `weight` broadcasts to the
/// input. Throws ShapeError unless the sizes are equal and the weight fits, Error when an input or
/// target lies outside [0, 1] and when the weight requires grad.
TERN_API Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                     const Tensor& weight = {},
                                     Reduction reduction = Reduction::Mean);
/// Returns the binary cross-entropy of sigmoid(input), computed without overflow: (1 - t) x + (1 +
/// (p - 1) t) log(1 + e^-x) with p = pos_weight, by default its mean. `weight` and `pos_weight`
/// broadcast to the input. Throws ShapeError unless input and target have equal sizes, Error when a
/// weight requires grad.
TERN_API Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                                 const Tensor& weight = {},
                                                 const Tensor& pos_weight = {},
                                                 Reduction reduction = Reduction::Mean);
/// Returns the negative log-likelihood -weight[t] * input[n, t, ..] of log-probabilities. The mean
/// divides by the sum of the weights used. Targets equal to `ignore_index` do not count.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..] and int64 target [], [N] or [N, d1, ..]; [1] counts
/// as []; weight [C]
/// Throws: IndexError for a target out of range, ShapeError and DTypeError when the arguments do
/// not fit, Error when the weight requires grad.
TERN_API Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                         Reduction reduction = Reduction::Mean, StrictInt ignore_index = -100);
/// Returns the cross-entropy of log_softmax(input) along the class dimension. An int64 target holds
/// class indices as for nll_loss; a floating target of the input's shape holds class probabilities.
/// `label_smoothing` in [0, 1] mixes the target with the uniform distribution.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..] and target [], [N] or [N, d1, ..], where [1] counts
/// as [], or probabilities of the input's shape; weight [C]
/// Throws: IndexError for a target out of range, ShapeError and DTypeError when the arguments do
/// not fit, Error for a class weight that requires grad and for ignore_index >= 0 with
/// probabilities.
TERN_API Tensor cross_entropy_loss(const Tensor& input, const Tensor& target,
                                   const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                                   StrictInt ignore_index = -100, double label_smoothing = 0.0);

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
