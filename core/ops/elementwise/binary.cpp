#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/no_gradient.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Functions of two tensors that are not arithmetic.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Old;
using detail::Operand;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

/// Runs an op of floating inputs; integers are converted to the default dtype.
Tensor floats_into(const char* name, ElementwiseOp op, const Operand& self, const Operand& other,
                   const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  return run_elementwise({name, op, is_floating_point(dtype) ? dtype : get_default_dtype()},
                         {self, other}, out);
}

/// Runs an op that PyTorch has for floating inputs only.
Tensor only_floats_into(const char* name, ElementwiseOp op, const Tensor& self, const Tensor& other,
                        const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  if (!is_floating_point(dtype)) detail::throw_not_implemented(name, dtype, {self, other});
  return run_elementwise({name, op, dtype}, {self, other}, out);
}

Tensor atan2_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  return floats_into("atan2", ElementwiseOp::atan2, self, other, out);
}
Tensor copysign_into(const Tensor& self, const Operand& other, const Tensor& out) {
  return floats_into("copysign", ElementwiseOp::copysign, self, other, out);
}
Tensor xlogy_into(const Operand& self, const Operand& other, const Tensor& out) {
  return floats_into("xlogy", ElementwiseOp::xlogy, self, other, out);
}
Tensor hypot_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  return only_floats_into("hypot", ElementwiseOp::hypot, self, other, out);
}

Tensor ldexp_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  if (!other.is_floating_point()) {
    return floats_into("ldexp", ElementwiseOp::ldexp, self, other, out);
  }
  const NoGradGuard no_grad;
  const Tensor power = pow(2, other);
  return run_elementwise({"ldexp", ElementwiseOp::mul, result_type({self, power})}, {self, power},
                         out);
}

Tensor heaviside_into(const Tensor& self, const Tensor& values, const Tensor& out) {
  TERN_CHECK(self.dtype() == values.dtype(), DTypeError,
             "heaviside is not yet implemented for tensors with different dtypes. Got ",
             self.scalar_type(), " and ", values.scalar_type());
  return run_elementwise({"heaviside", ElementwiseOp::heaviside, self.dtype()}, {self, values},
                         out);
}

Tensor igamma_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  return only_floats_into("igamma", ElementwiseOp::igamma, self, other, out);
}
Tensor igammac_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  return only_floats_into("igammac", ElementwiseOp::igammac, self, other, out);
}

/// Returns the integers whose bits are those of floating numbers of `dtype`.
ScalarType bits_of(ScalarType dtype) {
  if (dtype == kDouble) return kLong;
  return dtype == kFloat ? kInt : kShort;
}

/// The magnitude of a number is next to that of a number whose bits are one more or less.
Tensor next_number(const Tensor& self, const Tensor& other) {
  const ScalarType dtype = result_type({self, other});
  if (!is_floating_point(dtype)) detail::throw_not_implemented("nextafter", dtype, {self, other});
  const ScalarType bits = bits_of(dtype);
  const NoGradGuard no_grad;
  const Tensor x = self.detach().to(dtype), y = other.detach().to(dtype);
  const Tensor grows = (x < y) == (x > 0);
  const Tensor moved = (x.view(bits) + (grows.to(bits) * 2 - 1)).view(dtype);
  const Tensor smallest = ones_like(y, bits).view(dtype);
  const Tensor next = where(x == 0, copysign(smallest, y), moved);
  return where(x == y, y, where(isnan(x) | isnan(y), x + y, next));
}
Tensor nextafter_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  const Tensor next = next_number(self, other);
  // The rules of elementwise ops for sizes and dtypes of `out`.
  return run_elementwise({"nextafter", ElementwiseOp::maximum, next.dtype()}, {next, next}, out);
}

// Derivatives that PyTorch does not have either: errors in the backward pass.
Tensor no_derivative_of_igamma(const Tensor& /*g*/) {
  detail::raise<NotImplementedError>("the derivative for 'igamma: input' is not implemented.");
}
Tensor no_derivative_of_igammac(const Tensor& /*g*/) {
  detail::raise<NotImplementedError>("the derivative for 'igammac: input' is not implemented.");
}

/// Returns the derivative of igamma by its second argument.
Tensor gamma_slope(const Tensor& a, const Tensor& x) {
  return exp(xlogy(a - 1, x) - x - lgamma(a));
}

// The gradient of copysign: the sign of the result relative to the input, 0 for a zero.
Tensor copysign_gradient(const Tensor& g, const Tensor& x, const Tensor& y) {
  return g * masked_fill(y / x, x == 0, 0);
}

/// Returns x / (x^2 + y^2); 0 for two zeros.
Tensor over_square_sum(const Tensor& x, const Tensor& y) {
  const Tensor sum = x * x + y * y;
  return x * masked_fill(reciprocal(sum), sum == 0, 0);
}

}  // namespace

Tensor atan2(const Tensor& self, const Tensor& other) {
  TERN_OP("atan2", self, other);
  TERN_AUTOCAST(kUnchanged, kWidest, atan2, self, other);
  Tensor out = atan2_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record("Atan2Backward0", out,
                wrt(
                    self,
                    [](const Tensor& g, const Tensor& y, const Tensor& x) {
                      return g * over_square_sum(x, y);
                    },
                    self, other),
                wrt(
                    other,
                    [](const Tensor& g, const Tensor& y, const Tensor& x) {
                      return g * -over_square_sum(y, x);
                    },
                    self, other));
}

Tensor hypot(const Tensor& self, const Tensor& other) {
  TERN_OP("hypot", self, other);
  Tensor out = hypot_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  const auto rule = [](const Tensor& g, const Tensor& x, const Tensor& y) { return g * (x / y); };
  return record("HypotBackward0", out, wrt(self, rule, self, out), wrt(other, rule, other, out));
}

Tensor copysign(const Tensor& self, const Tensor& other) {
  TERN_OP("copysign", self, other);
  Tensor out = copysign_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record("CopysignBackward0", out, wrt(self, copysign_gradient, self, out),
                wrt(other, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor copysign(const Tensor& self, const Scalar& other) {
  TERN_OP("copysign", self);
  Tensor out = copysign_into(self, other, {});
  if (!needs_grad(self)) return out;
  return record("CopysignBackward1", out, wrt(self, copysign_gradient, self, out));
}

// The gradient of an input is its share of the sum of powers: 1 / (1 + e^(other - self)).
Tensor logaddexp(const Tensor& self, const Tensor& other) {
  TERN_OP("logaddexp", self, other);
  Tensor out = only_floats_into("logaddexp", ElementwiseOp::logaddexp, self, other, {});
  if (!needs_grad(self, other)) return out;
  const auto rule = [](const Tensor& g, const Tensor& x, const Tensor& y) {
    return g / (1 + exp(y - x));
  };
  return record("LogaddexpBackward0", out, wrt(self, rule, self, other),
                wrt(other, rule, other, self));
}

Tensor logaddexp2(const Tensor& self, const Tensor& other) {
  TERN_OP("logaddexp2", self, other);
  Tensor out = only_floats_into("logaddexp2", ElementwiseOp::logaddexp2, self, other, {});
  if (!needs_grad(self, other)) return out;
  const auto rule = [](const Tensor& g, const Tensor& x, const Tensor& y) {
    return g / (1 + pow(2, y - x));
  };
  return record("Logaddexp2Backward0", out, wrt(self, rule, self, other),
                wrt(other, rule, other, self));
}

Tensor xlogy(const Tensor& self, const Tensor& other) {
  TERN_OP("xlogy", self, other);
  Tensor out = xlogy_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record(
      "XlogyBackward0", out,
      wrt(
          self,
          [](const Tensor& g, const Tensor& x, const Tensor& y) {
            return masked_fill(xlogy(g, y), logical_and(x == 0, y <= 0), 0);
          },
          self, other),
      wrt(
          other, [](const Tensor& g, const Tensor& x, const Tensor& y) { return g * x / y; }, self,
          other));
}

Tensor xlogy(const Tensor& self, const Scalar& other) {
  TERN_OP("xlogy", self);
  Tensor out = xlogy_into(self, other, {});
  if (!needs_grad(self)) return out;
  return record("XlogyBackward2", out,
                wrt(
                    self,
                    [other](const Tensor& g, const Tensor& x) {
                      const Tensor slope = xlogy(g, other);
                      return other.toDouble() > 0 ? slope : masked_fill(slope, x == 0, 0);
                    },
                    self));
}

Tensor xlogy(const Scalar& self, const Tensor& other) {
  TERN_OP("xlogy", self, other);
  Tensor out = xlogy_into(self, other, {});
  if (!needs_grad(other)) return out;
  return record(
      "XlogyBackward1", out,
      wrt(
          other, [self](const Tensor& g, const Tensor& y) { return g * self / y; }, other));
}

Tensor ldexp(const Tensor& self, const Tensor& other) {
  TERN_OP("ldexp", self, other);
  Tensor out = ldexp_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  constexpr double kLn2 = 0.693147180559945309417;
  return record("LdexpBackward0", out,
                wrt(
                    self, [](const Tensor& g, const Tensor& e) { return ldexp(g, e); }, other),
                wrt(
                    other, [](const Tensor& g, const Tensor& y) { return g * y * kLn2; }, out));
}

Tensor heaviside(const Tensor& self, const Tensor& values) {
  TERN_OP("heaviside", self, values);
  return detail::without_gradient("heaviside", heaviside_into(self, values, {}), self, values);
}

Tensor nextafter(const Tensor& self, const Tensor& other) {
  TERN_OP("nextafter", self, other);
  Tensor out = next_number(self, other);
  if (!needs_grad(self, other)) return out;
  return record(
      "NextafterBackward0", out,
      wrt(
          self, [](const Tensor& g, const Tensor& x, const Tensor& y) { return g * (x != y); },
          self, other),
      wrt(other, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor igamma(const Tensor& self, const Tensor& other) {
  TERN_OP("igamma", self, other);
  Tensor out = igamma_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record(
      "IgammaBackward0", out, wrt(self, no_derivative_of_igamma),
      wrt(
          other,
          [](const Tensor& g, const Tensor& a, const Tensor& x) { return g * gamma_slope(a, x); },
          self, other));
}

Tensor igammac(const Tensor& self, const Tensor& other) {
  TERN_OP("igammac", self, other);
  Tensor out = igammac_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record(
      "IgammacBackward0", out, wrt(self, no_derivative_of_igammac),
      wrt(
          other,
          [](const Tensor& g, const Tensor& a, const Tensor& x) { return -g * gamma_slope(a, x); },
          self, other));
}

Tensor& atan2_(Tensor& self, const Tensor& other) {
  TERN_OP("atan2_", self, other);
  return TERN_INPLACE(atan2, Old::kSaved, self, other);
}
Tensor& hypot_(Tensor& self, const Tensor& other) {
  TERN_OP("hypot_", self, other);
  return TERN_INPLACE(hypot, Old::kSaved, self, other);
}
Tensor& copysign_(Tensor& self, const Tensor& other) {
  TERN_OP("copysign_", self, other);
  return TERN_INPLACE(copysign, Old::kSaved, self, other);
}
Tensor& copysign_(Tensor& self, const Scalar& other) {
  TERN_OP("copysign_", self);
  return TERN_INPLACE(copysign, Old::kSaved, self, other);
}
Tensor& xlogy_(Tensor& self, const Tensor& other) {
  TERN_OP("xlogy_", self, other);
  return TERN_INPLACE(xlogy, Old::kSaved, self, other);
}
Tensor& xlogy_(Tensor& self, const Scalar& other) {
  TERN_OP("xlogy_", self);
  return TERN_INPLACE(xlogy, Old::kSaved, self, other);
}
Tensor& ldexp_(Tensor& self, const Tensor& other) {
  TERN_OP("ldexp_", self, other);
  return TERN_INPLACE(ldexp, Old::kSaved, self, other);
}
Tensor& heaviside_(Tensor& self, const Tensor& other) {
  TERN_OP("heaviside_", self, other);
  return TERN_INPLACE(heaviside, Old::kSaved, self, other);
}
Tensor& nextafter_(Tensor& self, const Tensor& other) {
  TERN_OP("nextafter_", self, other);
  return TERN_INPLACE(nextafter, Old::kSaved, self, other);
}
Tensor& igamma_(Tensor& self, const Tensor& other) {
  TERN_OP("igamma_", self, other);
  return TERN_INPLACE(igamma, Old::kSaved, self, other);
}
Tensor& igammac_(Tensor& self, const Tensor& other) {
  TERN_OP("igammac_", self, other);
  return TERN_INPLACE(igammac, Old::kSaved, self, other);
}

}  // namespace tern
