#include <algorithm>
#include <limits>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/ops.h>

// Ops that choose between values: clamp, where, masked_fill.

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

using OptionalTensor = std::optional<Tensor>;

bool is_given(const OptionalTensor& bound) { return bound && bound->defined(); }

Tensor clamp_into(const char* name, const Tensor& self, const OptionalTensor& min,
                  const OptionalTensor& max, const Tensor& out) {
  TERN_CHECK(is_given(min) || is_given(max), Error,
             "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!is_given(max)) {
    return run_elementwise({name, ElementwiseOp::maximum, result_type({self, *min})}, {self, *min},
                           out);
  }
  if (!is_given(min)) {
    return run_elementwise({name, ElementwiseOp::minimum, result_type({self, *max})}, {self, *max},
                           out);
  }
  return run_elementwise({name, ElementwiseOp::clamp, result_type({self, *min, *max})},
                         {self, *min, *max}, out);
}

/// Returns the gradient where `all` holds, half of it where `half` holds too, and 0 elsewhere.
Tensor chosen_gradient(const Tensor& g, const Tensor& all, const Tensor& half) {
  return where(all, where(half, g / 2, g), 0);
}

// One bound is the other side of a maximum or minimum: at a tie each side gets half.
Tensor one_bound_gradient(const Tensor& g, const Tensor& mine, const Tensor& other, bool is_max) {
  return chosen_gradient(g, logical_not(is_max ? mine < other : mine > other), mine == other);
}

Tensor record_clamp(const char* node, const Tensor& out, const Tensor& self, const Tensor& bound,
                    bool is_max) {
  const auto rule = [is_max](const Tensor& g, const Tensor& mine, const Tensor& other) {
    return one_bound_gradient(g, mine, other, is_max);
  };
  return record(node, out, wrt(self, rule, self, bound), wrt(bound, rule, bound, self));
}

Tensor clamp_op(const char* name, const char* node, const Tensor& self, const OptionalTensor& min,
                const OptionalTensor& max) {
  Tensor out = clamp_into(name, self, min, max, {});
  const Tensor low = min.value_or(Tensor()), high = max.value_or(Tensor());
  if (!needs_grad(self, low, high)) return out;
  if (!high.defined()) return record_clamp(node, out, self, low, true);
  if (!low.defined()) return record_clamp(node, out, self, high, false);
  return record(node, out,
                wrt(
                    self,
                    [](const Tensor& g, const Tensor& x, const Tensor& a, const Tensor& b) {
                      const Tensor tie = logical_and(logical_or(x == a, x == b), a < b);
                      return chosen_gradient(g, logical_not(logical_or(x<a, x> b)), tie);
                    },
                    self, low, high),
                wrt(
                    low,
                    [](const Tensor& g, const Tensor& x, const Tensor& a, const Tensor& b) {
                      const Tensor tie = logical_and(x == a, a < b);
                      return chosen_gradient(g, logical_or(logical_and(x < a, a <= b), tie), tie);
                    },
                    self, low, high),
                wrt(
                    high,
                    [](const Tensor& g, const Tensor& x, const Tensor& a, const Tensor& b) {
                      const Tensor tie = logical_and(x == b, a < b);
                      const Tensor beyond = logical_and(x > b, a <= b);
                      return chosen_gradient(g, logical_or(logical_or(a > b, beyond), tie), tie);
                    },
                    self, low, high));
}

Tensor& clamp_inplace(const char* name, const char* node, Tensor& self, const OptionalTensor& min,
                      const OptionalTensor& max) {
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? clamp_into(name, x, min, max, out) : clamp_op(name, node, x, min, max);
  };
  return detail::inplace(self, op, min.value_or(Tensor()), max.value_or(Tensor()));
}

Tensor where_into(const Tensor& condition, const Operand& self, const Operand& other,
                  const Tensor& out) {
  TERN_CHECK(condition.dtype() == kBool, DTypeError,
             "where expected condition to be a boolean tensor, but got a tensor with dtype ",
             condition.scalar_type());
  return run_elementwise({"where", ElementwiseOp::where_op, result_type({self, other})},
                         {condition, self, other}, out);
}

Tensor masked_fill_into(const Tensor& self, const Tensor& mask, const Scalar& value,
                        const Tensor& out) {
  TERN_CHECK(mask.dtype() == kBool, DTypeError,
             "masked_fill_ only supports boolean masks, but got mask with dtype ",
             mask.scalar_type());
  detail::common_device({self, mask});  // throws in the order of the arguments
  // As in fill_(): integers store the truncated value, bools whether it is not 0.
  const Scalar element = visit_dtype(self.dtype(), [&value](auto tag) {
    const auto converted = value.to<typename decltype(tag)::type>();
    return is_floating_point(dtype_of<typename decltype(tag)::type>()) ? value : Scalar(converted);
  });
  Tensor result = run_elementwise({"masked_fill", ElementwiseOp::where_op, self.dtype()},
                                  {mask, element, self}, out);
  if (!needs_grad(self)) return result;
  return record(
      "MaskedFillBackward0", result,
      wrt(
          self, [](const Tensor& g, const Tensor& filled) { return where(filled, 0, g); }, mask));
}

Tensor masked_fill_into(const Tensor& self, const Tensor& mask, const Tensor& value,
                        const Tensor& out) {
  TERN_CHECK(value.dim() == 0, ShapeError,
             "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
             value.dim(), " dimension(s).");
  TERN_CHECK(mask.dtype() == kBool, DTypeError,
             "masked_fill_ only supports boolean masks, but got mask with dtype ",
             mask.scalar_type());
  detail::common_device({self, mask, value});  // throws in the order of the arguments
  Tensor result = run_elementwise({"masked_fill", ElementwiseOp::where_op, self.dtype()},
                                  {mask, detail::as_element_of(self, value), self}, out);
  if (!needs_grad(self, value)) return result;
  return record(
      "MaskedFillBackward1", result,
      wrt(
          self, [](const Tensor& g, const Tensor& filled) { return where(filled, 0, g); }, mask),
      wrt(
          value, [](const Tensor& g, const Tensor& filled) { return where(filled, g, 0).sum(); },
          mask));
}

}  // namespace

Tensor clamp(const Tensor& self, const OptionalScalar& min, const OptionalScalar& max) {
  TERN_OP("clamp", self);
  return clamp_op("clamp", "ClampBackward1", self, min, max);
}
Tensor clamp_min(const Tensor& self, const Scalar& min) {
  TERN_OP("clamp_min", self);
  return clamp_op("clamp_min", "ClampMinBackward0", self, min, OptionalScalar());
}
Tensor clamp_max(const Tensor& self, const Scalar& max) {
  TERN_OP("clamp_max", self);
  return clamp_op("clamp_max", "ClampMaxBackward0", self, OptionalScalar(), max);
}

Tensor clamp(const Tensor& self, const OptionalTensor& min, const OptionalTensor& max) {
  TERN_OP("clamp", self);
  return clamp_op("clamp", "ClampBackward0", self, min, max);
}
Tensor clamp_min(const Tensor& self, const Tensor& min) {
  TERN_OP("clamp_min", self, min);
  return clamp_op("clamp_min", "ClampMinBackward1", self, min, OptionalTensor());
}
Tensor clamp_max(const Tensor& self, const Tensor& max) {
  TERN_OP("clamp_max", self, max);
  return clamp_op("clamp_max", "ClampMaxBackward1", self, OptionalTensor(), max);
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

Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other) {
  TERN_OP("where", condition, self, other);
  return where_into(condition, self, other, {});
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  TERN_OP("masked_fill", self, mask, value);
  detail::check_has_gradient(self, value);
  return masked_fill_into(self, mask, value, {});
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  TERN_OP("masked_fill", self, mask);
  return masked_fill_into(self, mask, value, {});
}

Tensor& clamp_(Tensor& self, const OptionalScalar& min, const OptionalScalar& max) {
  TERN_OP("clamp_", self);
  return clamp_inplace("clamp_", "ClampBackward1", self, min, max);
}
Tensor& clamp_min_(Tensor& self, const Scalar& min) {
  TERN_OP("clamp_min_", self);
  return clamp_inplace("clamp_min_", "ClampMinBackward0", self, min, OptionalScalar());
}
Tensor& clamp_max_(Tensor& self, const Scalar& max) {
  TERN_OP("clamp_max_", self);
  return clamp_inplace("clamp_max_", "ClampMaxBackward0", self, OptionalScalar(), max);
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value) {
  TERN_OP("masked_fill_", self, mask);
  return TERN_INPLACE(masked_fill, Old::kReplaced, self, mask, value);
}

Tensor& clamp_(Tensor& self, const OptionalTensor& min, const OptionalTensor& max) {
  TERN_OP("clamp_", self);
  return clamp_inplace("clamp_", "ClampBackward0", self, min, max);
}
Tensor& clamp_min_(Tensor& self, const Tensor& min) {
  TERN_OP("clamp_min_", self, min);
  return clamp_inplace("clamp_min_", "ClampMinBackward1", self, min, OptionalTensor());
}
Tensor& clamp_max_(Tensor& self, const Tensor& max) {
  TERN_OP("clamp_max_", self, max);
  return clamp_inplace("clamp_max_", "ClampMaxBackward1", self, OptionalTensor(), max);
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value) {
  TERN_OP("masked_fill_", self, mask, value);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return masked_fill_into(x, mask, value, out);
  };
  return detail::overwrite_into(self, op, mask, value);
}

}  // namespace tern
