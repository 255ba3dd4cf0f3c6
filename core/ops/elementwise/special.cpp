// Compiled for size.

#include <cmath>
#include <limits>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/elementwise/detail/unary_rows.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Old;
using detail::run_elementwise;
using detail::run_unary;
using kernels::ElementwiseOp;

constexpr double kPi = 3.141592653589793238463, kSqrtPi = 1.772453850905516027298;

Tensor sinc_gradient(const Tensor& g, const Tensor& x) {
  const Tensor angle = x * kPi;
  return where(x == 0, 0, g * ((angle * cos(angle) - sin(angle)) / (angle * x)));
}

Tensor polygamma_into(std::int64_t n, const Tensor& x, const Tensor& out) {
  TERN_CHECK(n >= 0, Error, "polygamma(n, x) does not support negative n, got ", n);
  if (n == 0) return run_unary("polygamma", ElementwiseOp::digamma, x, out);
  return run_unary("polygamma", ElementwiseOp::polygamma, x, out, static_cast<double>(n));
}

Tensor polygamma_op(const char* node, std::int64_t n, const Tensor& x) {
  Tensor out = polygamma_into(n, x, {});
  if (!needs_grad(x)) return out;
  return record(
      node, out,
      wrt(
          x, [n](const Tensor& g, const Tensor& saved) { return g * polygamma(n + 1, saved); }, x));
}

// Logit without a limit has the limit -1.
Tensor logit_into(const Tensor& x, const std::optional<double>& eps, const Tensor& out) {
  return run_unary("logit", ElementwiseOp::logit, x, out, eps.value_or(-1));
}

Tensor logit_gradient(const Tensor& g, const Tensor& x, const std::optional<double>& eps) {
  const double low = eps.value_or(0), outside = eps ? 0 : std::numeric_limits<double>::quiet_NaN();
  return where(logical_or(x<low, x> 1 - low), outside, g / (x * (1 - x)));
}

using OptionalDouble = std::optional<double>;

Tensor nan_to_num_into(const Tensor& x, const OptionalDouble& nan, const OptionalDouble& posinf,
                       const OptionalDouble& neginf, const Tensor& out) {
  if (!x.is_floating_point()) return out.defined() ? out : x.clone();
  return visit_dtype(x.dtype(), [&](auto tag) -> Tensor {
    using T = typename decltype(tag)::type;
    double largest = std::numeric_limits<double>::max();
    if constexpr (!std::is_same_v<T, double> && is_floating_point(dtype_of<T>())) {
      largest = detail::FloatingLimit<T>::kLargest;
    }
    // A number beyond the range of the dtype is infinite.
    const auto rounded = [](double value) -> Scalar {
      return static_cast<double>(static_cast<T>(value));
    };
    return run_elementwise({"nan_to_num", ElementwiseOp::nan_to_num, x.dtype(), /*compares=*/false,
                            rounded(neginf.value_or(-largest))},
                           {x, rounded(nan.value_or(0)), rounded(posinf.value_or(largest))}, out);
  });
}

Tensor is_infinity(const Tensor& self, double infinity) {
  return self.is_floating_point() ? self == infinity : zeros_like(self, kBool);
}

}  // namespace

#include <tern/core/kernels/families/special.def>

Tensor polygamma(std::int64_t n, const Tensor& self) {
  TERN_OP("polygamma", self);
  return polygamma_op("PolygammaBackward0", n, self);
}

Tensor& polygamma_(Tensor& self, std::int64_t n) {
  TERN_OP("polygamma_", self);
  return detail::inplace(self, [n](const Tensor& x, const Tensor& out) {
    return out.defined() ? polygamma_into(n, x, out) : polygamma_op("PolygammaBackward1", n, x);
  });
}

Tensor mvlgamma(const Tensor& self, std::int64_t p) {
  TERN_OP("mvlgamma", self);
  TERN_CHECK(self.dtype() != kBool, DTypeError,
             "The input tensor may not be a boolean tensor. Got ", self.scalar_type());
  TERN_CHECK(p >= 1, Error, "p has to be greater than or equal to 1, got ", p);
  const Tensor x = self.is_floating_point() ? self : self.to(get_default_dtype());
  const auto sum_of = [p](const Tensor& of, Tensor (*term)(Tensor)) {
    const NoGradGuard no_grad;
    Tensor sum = term(of);
    for (std::int64_t k = 1; k < p; ++k) sum.add_(term(of - 0.5 * static_cast<double>(k)));
    return sum;
  };
  const auto size = static_cast<double>(p);
  Tensor out = sum_of(x, lgamma).add_(size * (size - 1) / 4 * std::log(kPi));
  if (!needs_grad(self)) return out;
  return record("MvlgammaBackward0", out,
                wrt(
                    self,
                    [p](const Tensor& g, const Tensor& of) {
                      Tensor sum = digamma(of);
                      for (std::int64_t k = 1; k < p; ++k) {
                        sum = sum + digamma(of - 0.5 * static_cast<double>(k));
                      }
                      return g * sum;
                    },
                    self));
}

Tensor& mvlgamma_(Tensor& self, std::int64_t p) {
  TERN_OP("mvlgamma_", self);
  return detail::inplace(self, [p](const Tensor& x, const Tensor& out) {
    Tensor result = mvlgamma(x, p);
    if (!out.defined()) return result;
    TERN_CHECK(out.is_floating_point(), DTypeError, "result type ", result.scalar_type(),
               " can't be cast to the desired output type ", out.scalar_type());
    detail::copy_elements(out, result);
    return out;
  });
}

Tensor logit(const Tensor& self, std::optional<double> eps) {
  TERN_OP("logit", self);
  Tensor out = logit_into(self, eps, {});
  if (!needs_grad(self)) return out;
  return record(
      "LogitBackward0", out,
      wrt(
          self, [eps](const Tensor& g, const Tensor& x) { return logit_gradient(g, x, eps); },
          self));
}

Tensor& logit_(Tensor& self, std::optional<double> eps) {
  TERN_OP("logit_", self);
  return TERN_INPLACE(logit, Old::kSaved, self, eps);
}

Tensor signbit(const Tensor& self) {
  TERN_OP("signbit", self);
  return run_unary("signbit", ElementwiseOp::signbit, self, {});
}

Tensor isposinf(const Tensor& self) {
  TERN_OP("isposinf", self);
  return is_infinity(self, std::numeric_limits<double>::infinity());
}

Tensor isneginf(const Tensor& self) {
  TERN_OP("isneginf", self);
  return is_infinity(self, -std::numeric_limits<double>::infinity());
}

Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  TERN_OP("nan_to_num", self);
  Tensor out = nan_to_num_into(self, nan, posinf, neginf, {});
  if (!needs_grad(self)) return out;
  return record("NanToNumBackward0", out,
                wrt(
                    self, [](const Tensor& g, const Tensor& x) { return g * isfinite(x); }, self));
}

Tensor& nan_to_num_(Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                    std::optional<double> neginf) {
  TERN_OP("nan_to_num_", self);
  return TERN_INPLACE(nan_to_num, Old::kSaved, self, nan, posinf, neginf);
}

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
  TERN_OP("frexp", self);
  TERN_CHECK(self.is_floating_point(), DTypeError,
             "torch.frexp() only supports floating-point dtypes, got ", self.scalar_type(),
             ", which is not floating point");
  Tensor mantissa = run_unary("frexp", ElementwiseOp::frexp_mantissa, self, {});
  Tensor exponent;
  {
    const NoGradGuard no_grad;
    exponent = run_unary("frexp", ElementwiseOp::frexp_exponent, self, {}).to(kInt);
  }
  if (needs_grad(self)) {
    mantissa =
        record("FrexpBackward0", mantissa,
               wrt(
                   self, [](const Tensor& g, const Tensor& powers) { return g / exp2(powers); },
                   exponent));
  }
  return {mantissa, exponent};
}

bool is_nonzero(const Tensor& self) {
  TERN_OP("is_nonzero", self);
  TERN_CHECK(self.numel() == 1, Error, "Boolean value of Tensor with ",
             self.numel() == 0 ? "no values" : "more than one value", " is ambiguous");
  return self.item().toDouble() != 0;
}

bool is_signed(const Tensor& self) {
  TERN_OP("is_signed", self);
  return self.dtype() != kBool && self.dtype() != kByte;
}

}  // namespace tern
