#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include <tern/core/tensor/tensor.h>

// Elementwise ops of one tensor x: special functions, and the parts of floating numbers. Integers
// are converted to the default dtype; in-place forms throw DTypeError for integers.

namespace tern {

/// Returns the error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
TERN_API Tensor erf(Tensor self);
TERN_API Tensor& erf_(Tensor& self);
/// Returns 1 - erf(x), accurate for large x.
TERN_API Tensor erfc(Tensor self);
TERN_API Tensor& erfc_(Tensor& self);
/// Returns the number whose erf() is x; NaN unless |x| <= 1.
TERN_API Tensor erfinv(Tensor self);
TERN_API Tensor& erfinv_(Tensor& self);
/// Returns ln |gamma(x)|; infinity at 0, -1, -2, ...
TERN_API Tensor lgamma(Tensor self);
TERN_API Tensor& lgamma_(Tensor& self);
/// Returns the derivative of lgamma(x); NaN at -1, -2, ...
TERN_API Tensor digamma(Tensor self);
TERN_API Tensor& digamma_(Tensor& self);
/// Returns derivative number n of digamma(x). Throws Error for a negative n.
/// Example:
///   x.polygamma(1)
TERN_API Tensor polygamma(std::int64_t n, const Tensor& self);
TERN_API Tensor& polygamma_(Tensor& self, std::int64_t n);
/// Returns the logarithm of the multivariate gamma function of dimension p >= 1: the sum of
/// lgamma(x - k/2) for k = 0 .. p-1, plus p (p - 1) / 4 ln(pi).
TERN_API Tensor mvlgamma(const Tensor& self, std::int64_t p);
TERN_API Tensor& mvlgamma_(Tensor& self, std::int64_t p);
/// Returns sin(pi x) / (pi x); 1 at 0.
TERN_API Tensor sinc(Tensor self);
TERN_API Tensor& sinc_(Tensor& self);
/// Returns the modified Bessel function of the first kind of order 0.
TERN_API Tensor i0(Tensor self);
TERN_API Tensor& i0_(Tensor& self);
/// Returns ln(x / (1 - x)), the inverse of sigmoid(). With `eps`, x is first limited to
/// [eps, 1 - eps].
TERN_API Tensor logit(const Tensor& self, std::optional<double> eps = std::nullopt);
TERN_API Tensor& logit_(Tensor& self, std::optional<double> eps = std::nullopt);

/// Returns true for elements whose sign bit is set, -0 and NaN too, as a bool tensor.
TERN_API Tensor signbit(const Tensor& self);
/// Returns true for elements that are +infinity, as a bool tensor.
TERN_API Tensor isposinf(const Tensor& self);
/// Returns true for elements that are -infinity, as a bool tensor.
TERN_API Tensor isneginf(const Tensor& self);
/// Returns x with NaN replaced by `nan`, +infinity by `posinf` and -infinity by `neginf`. Without
/// the last two, the largest and the smallest finite numbers of the dtype replace the infinities.
TERN_API Tensor nan_to_num(const Tensor& self, std::optional<double> nan = std::nullopt,
                           std::optional<double> posinf = std::nullopt,
                           std::optional<double> neginf = std::nullopt);
TERN_API Tensor& nan_to_num_(Tensor& self, std::optional<double> nan = std::nullopt,
                             std::optional<double> posinf = std::nullopt,
                             std::optional<double> neginf = std::nullopt);
/// Returns (mantissa, exponent): x = mantissa * 2^exponent with |mantissa| in [0.5, 1). The
/// exponent is int32; it is 0 for 0, infinities and NaN, which are their own mantissa. Throws
/// DTypeError unless the dtype is floating point.
TERN_API std::tuple<Tensor, Tensor> frexp(const Tensor& self);

/// Returns whether the only element differs from 0. Throws Error unless there is one element.
TERN_API bool is_nonzero(const Tensor& self);
/// Returns whether the dtype has negative numbers.
TERN_API bool is_signed(const Tensor& self);

}  // namespace tern
