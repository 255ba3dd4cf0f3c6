#include <cmath>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/elementwise/detail/unary.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::run_elementwise;
using kernels::ElementwiseOp;

constexpr double kLn2 = 0.693147180559945309417, kLn10 = 2.302585092994045684018;
constexpr double kPerDegree = 0.01745329251994329576924;  // radians
constexpr double kPerRadian = 57.29577951308232087680;    // degrees

// Returns self * factor with a gradient of its own name.
Tensor convert_angle(const char* node, const Tensor& self, double factor) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = self * factor;
  }
  if (!needs_grad(self)) return out;
  return record(node, out, wrt(self, [factor](const Tensor& g) { return g * factor; }));
}

Tensor& convert_angle_inplace(const char* node, Tensor& self, double factor) {
  return detail::overwrite(self, [&](const Tensor& x, const Tensor& out) {
    if (!out.defined()) return convert_angle(node, x, factor);
    const ScalarType dtype = x.is_floating_point() ? x.dtype() : get_default_dtype();
    return run_elementwise({"mul", ElementwiseOp::mul, dtype}, {x, Scalar(factor)}, out);
  });
}

// The factor of kernel round_decimals: a power of ten, negative to round to tens, hundreds, ..
Scalar decimal_factor(std::int64_t decimals) {
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return decimals < 0 ? -power : power;
}

Tensor round_to(const Tensor& x, std::int64_t decimals, const Tensor& out) {
  detail::check_floating("round", x);
  // Number 10^decimals may be infinite in the dtype, which is no error.
  const Scalar factor = visit_dtype(x.dtype(), [&](auto tag) -> Scalar {
    using T = kernels::MathType<typename decltype(tag)::type>;
    return static_cast<double>(static_cast<T>(decimal_factor(decimals).toDouble()));
  });
  return detail::run_unary("round", ElementwiseOp::round_decimals, x, out, factor);
}

}  // namespace

namespace detail {

ElementwiseCall unary_call(const char* name, ElementwiseOp op, const Tensor& self,
                           const Scalar& scale) {
  const kernels::ElementwiseKind kind = kernels::elementwise_info(op).kind;
  const ScalarType dtype = self.dtype();
  if (kind == kernels::ElementwiseKind::kCompare) return {name, op, dtype, /*compares=*/true};
  if (is_floating_point(dtype)) return {name, op, dtype, /*compares=*/false, scale};
  // The dtypes of the kernel decide to which dtype integers are cast.
  if (kind == kernels::ElementwiseKind::kFloat) {
    return {name, op, get_default_dtype(), /*compares=*/false, scale};
  }
  return {name, op, op == ElementwiseOp::square && dtype == kBool ? kLong : dtype};
}

Tensor run_unary(const char* name, ElementwiseOp op, const Tensor& self, const Tensor& out,
                 const Scalar& scale) {
  if (op == ElementwiseOp::sign && self.dtype() == kBool) {  // a bool is its own sign
    return out.defined() ? out : self.clone();
  }
  return run_elementwise(unary_call(name, op, self, scale), {self}, out);
}

bool may_reuse(const Tensor& self, ScalarType dtype) {
  return self.use_count() == 1 && self.dtype() == dtype && self.self().storage->is_exclusive() &&
         !self.is_view() && self.is_contiguous() && (!self.requires_grad() || !self.is_leaf());
}

Tensor unary(const char* name, const char* node, ElementwiseOp op, const Tensor& self, Saved saved,
             UnaryRule rule, const Scalar& scale) {
  const bool recorded = needs_grad(self);
  const bool reuses = may_reuse(self, unary_call(name, op, self, scale).dtype) &&
                      !(recorded && saved == Saved::kInput);
  Tensor out = run_unary(name, op, self, reuses ? make_alias(self) : Tensor(), scale);
  if (!recorded) return out;
  if (saved == Saved::kNothing) {
    return record(node, out, wrt(self, [rule](const Tensor& g) { return rule(g, g); }));
  }
  return record(node, out, wrt(self, rule, saved == Saved::kInput ? self : out));
}

void check_floating(const char* kernel, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), NotImplementedError, '"', kernel, '_', self.device().type(),
             "\" not implemented for '", self.dtype(), '\'');
}

}  // namespace detail

TERN_UNARY(neg, "NegBackward0", kNothing, -g)
TERN_UNARY(abs, "AbsBackward0", kInput, g* sign(x))
TERN_UNARY(sign, "SignBackward0", kNothing, zeros_like(g))
TERN_UNARY_FLOAT32(square, "PowBackward0", kInput, 2 * x * g)
TERN_UNARY(floor, "FloorBackward0", kNothing, zeros_like(g))
TERN_UNARY(ceil, "CeilBackward0", kNothing, zeros_like(g))
TERN_UNARY(round, "RoundBackward0", kNothing, zeros_like(g))
TERN_UNARY(trunc, "TruncBackward0", kNothing, zeros_like(g))
TERN_UNARY(relu, "ReluBackward0", kOutput, detail::relu_backward(g, y))
TERN_UNARY(exp2, "Exp2Backward0", kOutput, g* y* kLn2)
TERN_UNARY_FLOAT32(exp, "ExpBackward0", kOutput, g* y)
TERN_UNARY_FLOAT32(expm1, "Expm1Backward0", kOutput, g*(y + 1))
TERN_UNARY_FLOAT32(log, "LogBackward0", kInput, g / x)
TERN_UNARY_FLOAT32(log2, "Log2Backward0", kInput, g / (x * kLn2))
TERN_UNARY_FLOAT32(log10, "Log10Backward0", kInput, g / (x * kLn10))
TERN_UNARY_FLOAT32(log1p, "Log1PBackward0", kInput, g / (x + 1))
TERN_UNARY(sqrt, "SqrtBackward0", kOutput, g / (2 * y))
TERN_UNARY_FLOAT32(rsqrt, "RsqrtBackward0", kOutput, -0.5 * g * y * y * y)
TERN_UNARY_FLOAT32(reciprocal, "ReciprocalBackward0", kOutput, -g* y* y)
TERN_UNARY(sin, "SinBackward0", kInput, g* cos(x))
TERN_UNARY(cos, "CosBackward0", kInput, -g* sin(x))
TERN_UNARY_FLOAT32(tan, "TanBackward0", kOutput, g*(square(y) + 1))
TERN_UNARY_FLOAT32(asin, "AsinBackward0", kInput, g* rsqrt(1 - square(x)))
TERN_UNARY_FLOAT32(acos, "AcosBackward0", kInput, -g* rsqrt(1 - square(x)))
TERN_UNARY(atan, "AtanBackward0", kInput, g / (square(x) + 1))
TERN_UNARY_FLOAT32(sinh, "SinhBackward0", kInput, g* cosh(x))
TERN_UNARY_FLOAT32(cosh, "CoshBackward0", kInput, g* sinh(x))
TERN_UNARY(asinh, "AsinhBackward0", kInput, g* rsqrt(square(x) + 1))
TERN_UNARY(acosh, "AcoshBackward0", kInput, g* rsqrt(square(x) - 1))
TERN_UNARY(atanh, "AtanhBackward0", kInput, g / (1 - square(x)))
TERN_UNARY(tanh, "TanhBackward0", kOutput, detail::tanh_backward(g, y))
TERN_UNARY(sigmoid, "SigmoidBackward0", kOutput, detail::sigmoid_backward(g, y))

Tensor frac(Tensor self) {  // NOLINT(performance-unnecessary-value-param): recycled
  TERN_OP("frac", self);
  detail::check_floating("frac", self);
  return detail::unary("frac", "FracBackward0", ElementwiseOp::frac, self, detail::Saved::kNothing,
                       [](const Tensor& g, const Tensor&) { return g; });
}

Tensor& frac_(Tensor& self) {
  TERN_OP("frac_", self);
  detail::check_floating("frac", self);
  return detail::overwrite(self, [](const Tensor& x, const Tensor& out) {
    return out.defined() ? detail::run_unary("frac_", ElementwiseOp::frac, x, out) : frac(x);
  });
}

Tensor round(const Tensor& self, std::int64_t decimals) {
  TERN_OP("round", self);
  Tensor out = round_to(self, decimals, {});
  if (!needs_grad(self)) return out;
  return record("RoundBackward1", out, wrt(self, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor& round_(Tensor& self, std::int64_t decimals) {
  TERN_OP("round_", self);
  return detail::overwrite(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? round_to(x, decimals, out) : round(x, decimals);
  });
}

Tensor sgn(const Tensor& self) {
  TERN_OP("sgn", self);
  Tensor out = detail::run_unary("sgn", ElementwiseOp::sign, self, {});
  if (!needs_grad(self)) return out;
  return record("SgnBackward0", out, wrt(self, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor& sgn_(Tensor& self) {
  TERN_OP("sgn_", self);
  return detail::overwrite(self, [](const Tensor& x, const Tensor& out) {
    return out.defined() ? detail::run_unary("sgn_", ElementwiseOp::sign, x, out) : sgn(x);
  });
}

Tensor positive(const Tensor& self) {
  TERN_OP("positive", self);
  TERN_CHECK(self.dtype() != kBool, NotImplementedError,
             "The `+` operator, on a bool tensor is not supported. Expected a floating point or "
             "integral dtype, got ",
             self.dtype());
  return self;
}

Tensor deg2rad(const Tensor& self) {
  TERN_OP("deg2rad", self);
  return convert_angle("Deg2RadBackward0", self, kPerDegree);
}

Tensor& deg2rad_(Tensor& self) {
  TERN_OP("deg2rad_", self);
  return convert_angle_inplace("Deg2RadBackward0", self, kPerDegree);
}

Tensor rad2deg(const Tensor& self) {
  TERN_OP("rad2deg", self);
  return convert_angle("Rad2DegBackward0", self, kPerRadian);
}

Tensor& rad2deg_(Tensor& self) {
  TERN_OP("rad2deg_", self);
  return convert_angle_inplace("Rad2DegBackward0", self, kPerRadian);
}

namespace detail {

Tensor relu_backward(const Tensor& gradient, const Tensor& result) {
  Tensor out = run_elementwise({"relu_backward", ElementwiseOp::relu_backward, gradient.dtype()},
                               {gradient, result});
  if (!needs_grad(gradient, result)) return out;
  return record(
      "ThresholdBackwardBackward0", out,
      wrt(
          gradient, [](const Tensor& g, const Tensor& y) { return relu_backward(g, y); }, result),
      // The rule is constant in the result, but the second derivative must be 0 and not missing.
      wrt(result, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result) {
  Tensor out = run_elementwise(
      {"sigmoid_backward", ElementwiseOp::sigmoid_backward, gradient.dtype()}, {gradient, result});
  if (!needs_grad(gradient, result)) return out;
  return record(
      "SigmoidBackwardBackward0", out,
      wrt(
          gradient, [](const Tensor& g, const Tensor& y) { return sigmoid_backward(g, y); },
          result),
      wrt(
          result,
          [](const Tensor& g, const Tensor& gradient_in, const Tensor& y) {
            return g * gradient_in * (1 - 2 * y);
          },
          gradient, result));
}

Tensor tanh_backward(const Tensor& gradient, const Tensor& result) {
  Tensor out = run_elementwise({"tanh_backward", ElementwiseOp::tanh_backward, gradient.dtype()},
                               {gradient, result});
  if (!needs_grad(gradient, result)) return out;
  return record(
      "TanhBackwardBackward0", out,
      wrt(
          gradient, [](const Tensor& g, const Tensor& y) { return tanh_backward(g, y); }, result),
      wrt(
          result,
          [](const Tensor& g, const Tensor& gradient_in, const Tensor& y) {
            return g * gradient_in * (-2 * y);
          },
          gradient, result));
}

}  // namespace detail
}  // namespace tern
