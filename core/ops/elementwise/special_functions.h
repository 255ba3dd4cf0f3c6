#pragma once

#include <tern/core/tensor/tensor.h>

// Functions that only torch.special has, also tern::special::entr() and so on. Integers are
// converted to the default dtype; erfcx, log_ndtr, ndtri and zeta throw NotImplementedError for
// float16 and bfloat16.

namespace tern {

/// Returns -x ln(x), the entropy of a probability: 0 at 0, -infinity for negative numbers.
TERN_API Tensor special_entr(Tensor input);
/// Returns e^(x^2) erfc(x), which is not 0 for large x.
TERN_API Tensor special_erfcx(const Tensor& input);
/// Returns e^-|x| i0(x), which does not overflow for large x.
TERN_API Tensor special_i0e(const Tensor& input);
/// Returns the modified Bessel function of the first kind of order 1.
TERN_API Tensor special_i1(const Tensor& input);
/// Returns e^-|x| special_i1(x), which does not overflow for large x.
TERN_API Tensor special_i1e(const Tensor& input);
/// Returns the probability that a number of the standard normal distribution is below x.
TERN_API Tensor special_ndtr(const Tensor& input);
/// Returns the logarithm of special_ndtr(x), accurate for very negative x.
TERN_API Tensor special_log_ndtr(Tensor input);
/// Returns the number x for which special_ndtr(x) is the probability `input`, the quantile; NaN
/// unless that is in [0, 1]. Algorithm AS 241 (Wichura, 1988).
TERN_API Tensor special_ndtri(Tensor input);
/// Returns x ln(1 + y); 0 for a zero x, unless y is NaN.
TERN_API Tensor special_xlog1py(const Tensor& input, const Tensor& other);
TERN_API Tensor special_xlog1py(const Tensor& input, const Scalar& other);
TERN_API Tensor special_xlog1py(const Scalar& input, const Tensor& other);
/// Returns Hurwitz's zeta function, the sum of (other + k)^-input for k = 0, 1, ..: infinity for an
/// `input` of 1, NaN below. There is no derivative by `input`.
TERN_API Tensor special_zeta(const Tensor& input, const Tensor& other);
TERN_API Tensor special_zeta(const Tensor& input, const Scalar& other);
TERN_API Tensor special_zeta(const Scalar& input, const Tensor& other);

}  // namespace tern
