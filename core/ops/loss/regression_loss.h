#pragma once

#include <tern/core/ops/loss/reduction.h>
#include <tern/core/tensor/tensor.h>

// Losses of numbers.

namespace tern {

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

}  // namespace tern
