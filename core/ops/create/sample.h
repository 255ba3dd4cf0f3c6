#pragma once

#include <tern/core/tensor/tensor.h>

// Numbers drawn from distributions; see random.h for seeds and generators.

namespace tern {

/// Returns 1 with the probability that the element of `self` gives, else 0, in the same dtype.
/// Floating dtypes. The gradient is 0. Throws Error unless all probabilities lie in [0, 1]; on a
/// GPU the next call that waits throws.
TERN_API Tensor bernoulli(const Tensor& self, std::optional<Generator> generator = std::nullopt);
/// Returns 1 with probability `p`, else 0, with the sizes and dtype of `self`, whose elements do
/// not matter. Not differentiable. Throws Error unless p lies in [0, 1].
TERN_API Tensor bernoulli(const Tensor& self, double p,
                          std::optional<Generator> generator = std::nullopt);
/// Returns normal random numbers with the given means and standard deviations, which broadcast. The
/// result has the dtype of `mean` if that is a tensor, else of `std`. Floating dtypes. The gradient
/// is 0. Throws Error for a negative or NaN `std`; on a GPU the next call that waits throws.
TERN_API Tensor normal(const Tensor& mean, double std = 1,
                       std::optional<Generator> generator = std::nullopt);
TERN_API Tensor normal(double mean, const Tensor& std,
                       std::optional<Generator> generator = std::nullopt);
TERN_API Tensor normal(const Tensor& mean, const Tensor& std,
                       std::optional<Generator> generator = std::nullopt);
TERN_API Tensor normal(double mean, double std, IntArrayRef sizes,
                       std::optional<Generator> generator = std::nullopt,
                       const TensorOptions& options = {});
/// Returns `num_samples` indices for each row of the last dimension, drawn with probabilities
/// proportional to the weights in the row; int64. Without `replacement` the indices of a row are
/// distinct. Not differentiable.
///
/// Shape: self [C] or [N, C]; result [num_samples] or [N, num_samples]
/// Throws: Error for a weight that is negative, infinite or NaN and for a row whose sum is not
/// positive (on a GPU the next call that waits throws); for num_samples <= 0, and for more samples
/// than categories without replacement.
///
/// Example:
///   Tensor next = tern::multinomial(logits.softmax(-1), 1);
TERN_API Tensor multinomial(const Tensor& self, StrictInt num_samples,
                            StrictBool replacement = false,
                            std::optional<Generator> generator = std::nullopt);
/// Returns Poisson random numbers with the rates of `input`, in the same dtype. Floating dtypes.
/// The gradient is 0. Throws Error for a negative or NaN rate; on a GPU the next call that waits
/// throws.
TERN_API Tensor poisson(const Tensor& input, std::optional<Generator> generator = std::nullopt);
/// Returns binomial random numbers: of `count` trials, each with the probability `prob`, the number
/// of successes. count and prob broadcast and have one floating dtype. Not differentiable.
TERN_API Tensor binomial(const Tensor& count, const Tensor& prob,
                         std::optional<Generator> generator = std::nullopt);
/// Returns max(x, 0) + slope * min(x, 0), elementwise. In training, each slope is a uniform random
/// number in [lower, upper); else it is their mean. Floating dtypes. Throws Error unless lower <=
/// upper and both are finite.
TERN_API Tensor rrelu(const Tensor& input, const Scalar& lower = 1.0 / 8,
                      const Scalar& upper = 1.0 / 3, StrictBool training = false,
                      std::optional<Generator> generator = std::nullopt);
TERN_API Tensor& rrelu_(Tensor& input, const Scalar& lower = 1.0 / 8, const Scalar& upper = 1.0 / 3,
                        StrictBool training = false,
                        std::optional<Generator> generator = std::nullopt);
/// Does the same as rrelu(). In training, writes the slopes to `noise`, which has the sizes and
/// dtype of `input`; a slope is 1 where the input is positive.
TERN_API Tensor rrelu_with_noise(const Tensor& input, Tensor& noise, const Scalar& lower = 1.0 / 8,
                                 const Scalar& upper = 1.0 / 3, StrictBool training = false,
                                 std::optional<Generator> generator = std::nullopt);
TERN_API Tensor& rrelu_with_noise_(Tensor& input, Tensor& noise, const Scalar& lower = 1.0 / 8,
                                   const Scalar& upper = 1.0 / 3, StrictBool training = false,
                                   std::optional<Generator> generator = std::nullopt);

}  // namespace tern
