#include <algorithm>
#include <limits>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/inplace.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

// Comparisons, logical ops, and ops that choose between values: clamp, where, masked_fill.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Operand;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

Tensor compare(const char* name, ElementwiseOp op, const Tensor& self, const Operand& other) {
  return run_elementwise({name, op, result_type({self, other}), /*compares=*/true}, {self, other});
}

Tensor test(const char* name, ElementwiseOp op, const Tensor& self) {
  return run_elementwise({name, op, self.dtype(), /*compares=*/true}, {self});
}

// Returns a bound of clamp as a number of the dtype. An integral bound that every number of the
// dtype keeps limits nothing, like a missing one; one that none keeps is an error.
Scalar bound_in(ScalarType dtype, const std::optional<Scalar>& bound, bool is_min) {
  return visit_dtype(dtype, [&](auto tag) -> Scalar {
    using T = typename decltype(tag)::type;
    if constexpr (is_floating_point(dtype_of<T>())) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      if (!bound) return is_min ? -kInfinity : kInfinity;
      detail::check_representable(*bound, dtype);
      return *bound;
    } else {
      constexpr std::int64_t kLowest = std::numeric_limits<T>::min();
      constexpr std::int64_t kHighest = std::numeric_limits<T>::max();
      if (!bound) return is_min ? kLowest : kHighest;
      const std::int64_t value = bound->toLong();
      TERN_CHECK(is_min ? value <= kHighest : value >= kLowest, Error, "Clamp ",
                 is_min ? "min" : "max", " value ", value,
                 " is outside the representable range of ", dtype);
      return std::clamp(value, kLowest, kHighest);
    }
  });
}

using OptionalScalar = std::optional<Scalar>;

Tensor clamp_into(const char* name, const Tensor& self, const OptionalScalar& min,
                  const OptionalScalar& max, const Tensor& out) {
  TERN_CHECK(min || max, Error, "torch.clamp: At least one of 'min' or 'max' must not be None");
  const ScalarType dtype = result_type({self, min ? *min : *max, max ? *max : *min});
  return run_elementwise({name, ElementwiseOp::clamp, dtype},
                         {self, bound_in(dtype, min, true), bound_in(dtype, max, false)}, out);
}

Tensor clamp_op(const char* name, const char* node, const Tensor& self, const OptionalScalar& min,
                const OptionalScalar& max) {
  Tensor out = clamp_into(name, self, min, max, {});
  if (!needs_grad(self)) return out;
  return record(node, out,
                wrt(
                    self,
                    [min, max](const Tensor& g, const Tensor& x) {
                      Tensor inside = min ? x > *min : x < *max;
                      if (min && max) inside = logical_and(inside, x < *max);
                      return where(inside, g, 0);
                    },
                    self));
}

Tensor& clamp_inplace(const char* name, const char* node, Tensor& self, const OptionalScalar& min,
                      const OptionalScalar& max) {
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? clamp_into(name, x, min, max, out) : clamp_op(name, node, x, min, max);
  });
}

Tensor where_into(const Tensor& condition, const Operand& self, const Operand& other,
                  const Tensor& out) {
  TERN_CHECK(condition.dtype() == kBool, DTypeError,
             "where expected condition to be a boolean tensor, but got a tensor with dtype ",
             condition.dtype());
  return run_elementwise({"where", ElementwiseOp::where_op, result_type({self, other})},
                         {condition, self, other}, out);
}

Tensor masked_fill_into(const Tensor& self, const Tensor& mask, const Scalar& value,
                        const Tensor& out) {
  TERN_CHECK(mask.dtype() == kBool, DTypeError,
             "masked_fill_ only supports boolean masks, but got mask with dtype ", mask.dtype());
  detail::common_device({self, mask});  // throws in the order of the arguments
  // As in fill_(): integers store the truncated value, bools whether it is not 0.
  const Scalar element = visit_dtype(self.dtype(), [&value](auto tag) {
    const auto converted = value.to<typename decltype(tag)::type>();
    return is_floating_point(dtype_of<typename decltype(tag)::type>()) ? value : Scalar(converted);
  });
  return run_elementwise({"masked_fill", ElementwiseOp::where_op, self.dtype()},
                         {mask, element, self}, out);
}

}  // namespace

#define TERN_COMPARISON(name)                                \
  Tensor name(const Tensor& self, const Tensor& other) {     \
    TERN_OP(#name, self, other);                             \
    return compare(#name, ElementwiseOp::name, self, other); \
  }                                                          \
  Tensor name(const Tensor& self, const Scalar& other) {     \
    TERN_OP(#name, self);                                    \
    return compare(#name, ElementwiseOp::name, self, other); \
  }
TERN_COMPARISON(eq)
TERN_COMPARISON(ne)
TERN_COMPARISON(lt)
TERN_COMPARISON(le)
TERN_COMPARISON(gt)
TERN_COMPARISON(ge)
#undef TERN_COMPARISON

Tensor isnan(const Tensor& self) {
  TERN_OP("isnan", self);
  return test("isnan", ElementwiseOp::isnan, self);
}
Tensor isinf(const Tensor& self) {
  TERN_OP("isinf", self);
  return test("isinf", ElementwiseOp::isinf, self);
}
Tensor isfinite(const Tensor& self) {
  TERN_OP("isfinite", self);
  return logical_not(logical_or(isnan(self), isinf(self)));
}
Tensor logical_not(const Tensor& self) {
  TERN_OP("logical_not", self);
  return test("logical_not", ElementwiseOp::logical_not, self);
}
Tensor logical_and(const Tensor& self, const Tensor& other) {
  TERN_OP("logical_and", self, other);
  return compare("logical_and", ElementwiseOp::logical_and, self, other);
}
Tensor logical_or(const Tensor& self, const Tensor& other) {
  TERN_OP("logical_or", self, other);
  return compare("logical_or", ElementwiseOp::logical_or, self, other);
}
Tensor logical_xor(const Tensor& self, const Tensor& other) {
  TERN_OP("logical_xor", self, other);
  return compare("logical_xor", ElementwiseOp::logical_xor, self, other);
}

bool equal(const Tensor& self, const Tensor& other) {
  TERN_OP("equal", self, other);
  if (self.sizes() != other.sizes()) return false;
  return eq(self, other).all().item<bool>();
}

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol,
               StrictBool equal_nan) {
  TERN_OP("isclose", self, other);
  TERN_CHECK(self.dtype() == other.dtype(), DTypeError, self.dtype(), " did not match ",
             other.dtype());
  const NoGradGuard no_grad;
  Tensor close = self == other;
  if (equal_nan) close = logical_or(close, logical_and(isnan(self), isnan(other)));
  if (!self.is_floating_point()) {
    const Tensor a = self.to(kDouble), b = other.to(kDouble);
    return logical_or(close, abs(a - b) <= abs(b) * rtol + atol);
  }
  // An infinite difference is never close, even with an infinite tolerance.
  const Tensor difference = abs(self - other);
  const Tensor within = difference <= abs(other) * rtol + atol;
  return logical_or(close, logical_and(isfinite(difference), within));
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol,
              StrictBool equal_nan) {
  TERN_OP("allclose", self, other);
  return isclose(self, other, rtol, atol, equal_nan).all().item<bool>();
}

Tensor clamp(const Tensor& self, const OptionalScalar& min, const OptionalScalar& max) {
  TERN_OP("clamp", self);
  return clamp_op("clamp", "ClampBackward1", self, min, max);
}
Tensor clamp_min(const Tensor& self, const Scalar& min) {
  TERN_OP("clamp_min", self);
  return clamp_op("clamp_min", "ClampMinBackward0", self, min, std::nullopt);
}
Tensor clamp_max(const Tensor& self, const Scalar& max) {
  TERN_OP("clamp_max", self);
  return clamp_op("clamp_max", "ClampMaxBackward0", self, std::nullopt, max);
}

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  TERN_OP("where", condition, self, other);
  Tensor out = where_into(condition, self, other, {});
  if (!needs_grad(self, other)) return out;
  return record(
      "WhereBackward0", out,
      wrt(
          self, [](const Tensor& g, const Tensor& chosen) { return where(chosen, g, 0); },
          condition),
      wrt(
          other, [](const Tensor& g, const Tensor& chosen) { return where(chosen, 0, g); },
          condition));
}

Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
  TERN_OP("where", condition, self);
  detail::check_representable(other, result_type({self, other}));
  Tensor out = where_into(condition, self, other, {});
  if (!needs_grad(self)) return out;
  return record("WhereBackward0", out,
                wrt(
                    self, [](const Tensor& g, const Tensor& chosen) { return where(chosen, g, 0); },
                    condition));
}

Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
  TERN_OP("where", condition, self, other);
  detail::check_representable(self, result_type({self, other}));
  Tensor out = where_into(condition, self, other, {});
  if (!needs_grad(other)) return out;
  return record(
      "WhereBackward0", out,
      wrt(
          other, [](const Tensor& g, const Tensor& chosen) { return where(chosen, 0, g); },
          condition));
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  TERN_OP("masked_fill", self, mask);
  Tensor out = masked_fill_into(self, mask, value, {});
  if (!needs_grad(self)) return out;
  return record(
      "MaskedFillBackward0", out,
      wrt(
          self, [](const Tensor& g, const Tensor& filled) { return where(filled, 0, g); }, mask));
}

Tensor& clamp_(Tensor& self, const OptionalScalar& min, const OptionalScalar& max) {
  TERN_OP("clamp_", self);
  return clamp_inplace("clamp_", "ClampBackward1", self, min, max);
}
Tensor& clamp_min_(Tensor& self, const Scalar& min) {
  TERN_OP("clamp_min_", self);
  return clamp_inplace("clamp_min_", "ClampMinBackward0", self, min, std::nullopt);
}
Tensor& clamp_max_(Tensor& self, const Scalar& max) {
  TERN_OP("clamp_max_", self);
  return clamp_inplace("clamp_max_", "ClampMaxBackward0", self, std::nullopt, max);
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value) {
  TERN_OP("masked_fill_", self, mask);
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? masked_fill_into(x, mask, value, out)
                         : tern::masked_fill(x, mask, value);
  });
}

}  // namespace tern
