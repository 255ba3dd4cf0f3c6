#include <cmath>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/elementwise/detail/unary.h>
#include <tern/core/ops/elementwise/detail/unary_rows.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Old;
using detail::run_elementwise;
using detail::Saved;
using kernels::ElementwiseOp;

constexpr double kLn2 = 0.693147180559945309417, kLn10 = 2.302585092994045684018;
constexpr double kPerDegree = 0.01745329251994329576924;  // radians
constexpr double kPerRadian = 57.29577951308232087680;    // degrees

Tensor frac_gradient(const Tensor& g, const Tensor& /*saved*/) { return g; }

// Returns self * factor with a gradient of its own name.
Tensor convert_angle(const char* node, const Tensor& self, double factor, const Tensor& out = {}) {
  const ScalarType dtype = self.is_floating_point() ? self.dtype() : get_default_dtype();
  Tensor result = run_elementwise({"mul", ElementwiseOp::mul, dtype}, {self, Scalar(factor)}, out);
  if (!needs_grad(self)) return result;
  return record(node, result, wrt(self, [factor](const Tensor& g) { return g * factor; }));
}

Tensor& convert_angle_inplace(const char* node, Tensor& self, double factor) {
  return detail::overwrite_into(self, [&](const Tensor& x, const Tensor& out) {
    return convert_angle(node, x, factor, out);
  });
}

// The factor of kernel round_decimals: a power of ten, negative to round to tens, hundreds, ..
Scalar decimal_factor(std::int64_t decimals) {
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return decimals < 0 ? -power : power;
}

Tensor record_zero(const char* node, const Tensor& self, const Tensor& result) {
  if (!needs_grad(self)) return result;
  return record(node, result, wrt(self, [](const Tensor& g) { return zeros_like(g); }));
}

Tensor sgn_into(const Tensor& self, const Tensor& out) {
  return record_zero("SgnBackward0", self,
                     detail::run_unary("sgn", ElementwiseOp::sign, self, out));
}

Tensor round_into(const Tensor& x, std::int64_t decimals, const Tensor& out) {
  detail::check_floating("round", x);
  // Number 10^decimals may be infinite in the dtype, which is no error.
  const Scalar factor = visit_dtype(x.dtype(), [&](auto tag) -> Scalar {
    using T = kernels::MathType<typename decltype(tag)::type>;
    return static_cast<double>(static_cast<T>(decimal_factor(decimals).toDouble()));
  });
  return record_zero("RoundBackward1", x,
                     detail::run_unary("round", ElementwiseOp::round_decimals, x, out, factor));
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

namespace {

Tensor record_unary(const char* node, const Tensor& self, const Tensor& result, Saved saved,
                    UnaryRule rule) {
  if (saved == Saved::kNothing) {
    return record(node, result, wrt(self, [rule](const Tensor& g) { return rule(g, g); }));
  }
  return record(node, result, wrt(self, rule, saved == Saved::kInput ? self : result));
}

}  // namespace

Tensor unary(const char* name, const char* node, ElementwiseOp op, const Tensor& self, Saved saved,
             UnaryRule rule, const Scalar& scale) {
  const bool recorded = needs_grad(self);
  const bool reuses = may_reuse(self, unary_call(name, op, self, scale).dtype) &&
                      !(recorded && saved == Saved::kInput);
  Tensor result = run_unary(name, op, self, reuses ? make_alias(self) : Tensor(), scale);
  return recorded ? record_unary(node, self, result, saved, rule) : result;
}

Tensor& unary_inplace(Tensor& self, const char* name, const char* node, ElementwiseOp op,
                      Saved saved, UnaryRule rule) {
  const auto apply = [&](const Tensor& x, const Tensor& out) {
    Tensor result = run_unary(name, op, x, out);
    if (!needs_grad(x)) return result;
    result.self().bump_version();  // before the node saves the result
    return record_unary(node, x, result, saved, rule);
  };
  return saved == Saved::kInput ? inplace(self, apply) : overwrite_into(self, apply);
}

void check_floating(const char* kernel, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), NotImplementedError, '"', kernel, '_', self.device().type(),
             "\" not implemented for '", self.scalar_type(), '\'');
}

}  // namespace detail

#include <tern/core/kernels/families/unary.def>

Tensor frac(Tensor self) {  // NOLINT(performance-unnecessary-value-param): recycled
  TERN_OP("frac", self);
  detail::check_floating("frac", self);
  return detail::unary("frac", "FracBackward0", ElementwiseOp::frac, self, Saved::kNothing,
                       frac_gradient);
}

Tensor& frac_(Tensor& self) {
  TERN_OP("frac_", self);
  detail::check_floating("frac", self);
  return detail::unary_inplace(self, "frac_", "FracBackward0", ElementwiseOp::frac, Saved::kNothing,
                               frac_gradient);
}

Tensor round(const Tensor& self, std::int64_t decimals) {
  TERN_OP("round", self);
  return round_into(self, decimals, {});
}

Tensor& round_(Tensor& self, std::int64_t decimals) {
  TERN_OP("round_", self);
  return TERN_INPLACE(round, Old::kReplaced, self, decimals);
}

Tensor sgn(const Tensor& self) {
  TERN_OP("sgn", self);
  return sgn_into(self, {});
}

Tensor& sgn_(Tensor& self) {
  TERN_OP("sgn_", self);
  return TERN_INPLACE(sgn, Old::kReplaced, self);
}

Tensor positive(const Tensor& self) {
  TERN_OP("positive", self);
  TERN_CHECK(self.dtype() != kBool, NotImplementedError,
             "The `+` operator, on a bool tensor is not supported. Expected a floating point or "
             "integral dtype, got ",
             self.scalar_type());
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

}  // namespace tern
