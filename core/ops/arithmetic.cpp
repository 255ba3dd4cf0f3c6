#include <cmath>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/inplace.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::Operand;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

void check_alpha(ScalarType dtype, const Scalar& alpha) {
  TERN_CHECK(is_floating_point(dtype) || !alpha.is_floating_point(), DTypeError,
             "For integral input tensors, argument alpha must not be a floating point number. Got "
             "alpha ",
             alpha, " and the result type ", dtype);
  TERN_CHECK(dtype == kBool || !alpha.is_boolean(), DTypeError,
             "Boolean alpha only supported for Boolean results. Got the result type ", dtype);
}

bool is_integral(ScalarType dtype) {
  return dtype_info(dtype).category == DtypeCategory::kIntegral;
}
bool is_one(const Scalar& scalar) { return scalar == Scalar(1); }
Tensor scaled(const Tensor& g, const Scalar& factor) { return is_one(factor) ? g : g * factor; }

// --- Forward passes; they write to `out` if it is defined ----------------------------------------

Tensor add_into(const Tensor& self, const Operand& other, const Scalar& alpha, const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  check_alpha(dtype, alpha);
  return run_elementwise({"add", ElementwiseOp::add, dtype, false, alpha}, {self, other}, out);
}

Tensor sub_into(const Operand& self, const Operand& other, const Scalar& alpha, const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  const auto type_of = [](const Operand& operand) {
    return operand.is_tensor() ? operand.tensor().dtype() : operand.scalar().dtype();
  };
  const auto is_bool = [&](const Operand& operand) { return type_of(operand) == kBool; };
  TERN_CHECK(!(is_bool(self) && is_bool(other)), DTypeError,
             "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
             "or `logical_xor()` operator instead. Got ",
             type_of(self), " and ", type_of(other));
  TERN_CHECK(!is_bool(self) && !is_bool(other), DTypeError,
             "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
             "trying to invert a mask, use the `~` or `logical_not()` operator instead. Got ",
             type_of(self), " and ", type_of(other));
  check_alpha(dtype, alpha);
  // PyTorch adds -alpha * other. If alpha is the integer 0, which has no -0, this decides the sign
  // of a zero result.
  const bool adds = alpha == Scalar(0);
  return run_elementwise(
      {"sub", adds ? ElementwiseOp::add : ElementwiseOp::sub, dtype, false, adds ? -alpha : alpha},
      {self, other}, out);
}

Tensor mul_into(const Tensor& self, const Operand& other, const Tensor& out) {
  return run_elementwise({"mul", ElementwiseOp::mul, result_type({self, other})}, {self, other},
                         out);
}

Tensor div_into(const Tensor& self, const Operand& other, const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  return run_elementwise(
      {"div", ElementwiseOp::div, is_floating_point(dtype) ? dtype : get_default_dtype()},
      {self, other}, out);
}

Tensor pow_into(const Operand& self, const Operand& exponent, const Tensor& out) {
  const ScalarType dtype = result_type({self, exponent});
  if (is_integral(dtype) && !exponent.is_tensor()) {
    TERN_CHECK(exponent.scalar().toLong() >= 0, Error,
               "Integers to negative integer powers are not allowed.");
    detail::check_representable(exponent.scalar(), dtype);
  }
  if (dtype == kBool && !exponent.is_tensor()) {  // false to the power of false is true
    const Scalar is_zero = !exponent.scalar().toBool();
    return run_elementwise({"pow", ElementwiseOp::logical_or, dtype, true}, {self, is_zero}, out);
  }
  return run_elementwise({"pow", ElementwiseOp::pow, dtype}, {self, exponent}, out);
}

Tensor addcmul_into(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value,
                    const Tensor& out) {
  return run_elementwise(
      {"addcmul", ElementwiseOp::addcmul, result_type({self, a, b}), false, value}, {self, a, b},
      out);
}

Tensor lerp_into(const Tensor& self, const Tensor& end, const Scalar& weight, const Tensor& out) {
  TERN_CHECK(self.dtype() == end.dtype(), DTypeError, "expected dtype ", self.dtype(),
             " for `end` but got dtype ", end.dtype());
  return run_elementwise({"lerp", ElementwiseOp::lerp, self.dtype(), false, weight}, {self, end},
                         out);
}

}  // namespace

// --- Functions -----------------------------------------------------------------------------------

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("add", self, other);
  Tensor out = add_into(self, other, alpha, {});
  if (!needs_grad(self, other)) return out;
  return record("AddBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(other, [alpha](const Tensor& g) { return scaled(g, alpha); }));
}

Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("add", self);
  Tensor out = add_into(self, other, alpha, {});
  if (!needs_grad(self)) return out;
  return record("AddBackward0", out, wrt(self, [](const Tensor& g) { return g; }));
}

Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("sub", self, other);
  Tensor out = sub_into(self, other, alpha, {});
  if (!needs_grad(self, other)) return out;
  return record("SubBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(other, [alpha](const Tensor& g) { return scaled(g, -alpha); }));
}

Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("sub", self);
  Tensor out = sub_into(self, other, alpha, {});
  if (!needs_grad(self)) return out;
  return record("SubBackward0", out, wrt(self, [](const Tensor& g) { return g; }));
}

Tensor rsub(const Tensor& self, const Scalar& other) {
  TERN_OP("rsub", self);
  Tensor out = sub_into(other, self, 1, {});
  if (!needs_grad(self)) return out;
  return record("RsubBackward1", out, wrt(self, [](const Tensor& g) { return -g; }));
}

Tensor mul(const Tensor& self, const Tensor& other) {
  TERN_OP("mul", self, other);
  Tensor out = mul_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record("MulBackward0", out,
                wrt(
                    self, [](const Tensor& g, const Tensor& b) { return g * b; }, other),
                wrt(
                    other, [](const Tensor& g, const Tensor& a) { return g * a; }, self));
}

Tensor mul(const Tensor& self, const Scalar& other) {
  TERN_OP("mul", self);
  Tensor out = mul_into(self, other, {});
  if (!needs_grad(self)) return out;
  return record("MulBackward0", out, wrt(self, [other](const Tensor& g) { return g * other; }));
}

Tensor div(const Tensor& self, const Tensor& other) {
  TERN_OP("div", self, other);
  Tensor out = div_into(self, other, {});
  if (!needs_grad(self, other)) return out;
  return record(
      "DivBackward0", out,
      wrt(
          self, [](const Tensor& g, const Tensor& b) { return g / b; }, other),
      wrt(
          other,
          [](const Tensor& g, const Tensor& a, const Tensor& b) { return -g * ((a / b) / b); },
          self, other));
}

Tensor div(const Tensor& self, const Scalar& other) {
  TERN_OP("div", self);
  Tensor out = div_into(self, other, {});
  if (!needs_grad(self)) return out;
  return record("DivBackward0", out, wrt(self, [other](const Tensor& g) { return g / other; }));
}

namespace {

// Returns a // b without history. Uses the remainder, because a / b may round up to an integer.
Tensor floor_quotient(const Tensor& self, const Tensor& b) {
  const NoGradGuard no_grad;
  const Tensor a = self.dtype() == kBool ? self.to(b.dtype()) : self;  // bools cannot be subtracted
  return where(b == 0, a / b, round((a - a.remainder(b)) / b));
}

}  // namespace

Tensor remainder(const Tensor& self, const Tensor& other) {
  TERN_OP("remainder", self, other);
  const ScalarType dtype = result_type({self, other});
  // The CPU kernel checks for zeros itself; an empty result divides nothing.
  if (is_integral(dtype) && !self.is_cpu() && self.numel() != 0) {
    // 256 is 0 as an uint8.
    detail::require_all("remainder", kernels::RequireOp::kDivisor, other.to(dtype).to(kLong));
  }
  Tensor out = run_elementwise({"remainder", ElementwiseOp::remainder, dtype}, {self, other});
  if (!needs_grad(self, other)) return out;
  return record("RemainderBackward1", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(
                    other,
                    [](const Tensor& g, const Tensor& a, const Tensor& b) {
                      return -g * floor_quotient(a, b);
                    },
                    self, other));
}

Tensor remainder(const Tensor& self, const Scalar& other) {
  TERN_OP("remainder", self);
  const ScalarType dtype = result_type({self, other});
  const bool is_zero =
      is_integral(dtype) && visit_dtype(dtype, [&](auto tag) {
        return static_cast<typename decltype(tag)::type>(other.toLong()) == 0;  // 256 as an uint8
      });
  TERN_CHECK(!is_zero || self.numel() == 0, Error,
             kernels::broken_rule(kernels::RequireOp::kDivisor));
  Tensor out = run_elementwise({"remainder", ElementwiseOp::remainder, dtype}, {self, other});
  if (!needs_grad(self)) return out;
  return record("RemainderBackward0", out, wrt(self, [](const Tensor& g) { return g; }));
}

Tensor pow(const Tensor& self, const Scalar& exponent) {
  TERN_OP("pow", self);
  // x * x is exact where the general power is not.
  const bool is_square = exponent == Scalar(2) && self.dtype() != kBool &&
                         (self.is_floating_point() || !exponent.is_floating_point());
  Tensor out = is_square ? run_elementwise({"pow", ElementwiseOp::square, self.dtype()}, {self})
                         : pow_into(self, exponent, {});
  if (!needs_grad(self)) return out;
  return record("PowBackward0", out,
                wrt(
                    self,
                    [exponent](const Tensor& g, const Tensor& x) {
                      if (exponent == Scalar(0)) return zeros_like(g);
                      if (exponent == Scalar(2)) return g * (x * 2);
                      return g * (x.pow(exponent.toDouble() - 1) * exponent);
                    },
                    self));
}

Tensor pow(const Tensor& self, const Tensor& exponent) {
  TERN_OP("pow", self, exponent);
  Tensor out = pow_into(self, exponent, {});
  if (!needs_grad(self, exponent)) return out;
  return record("PowBackward1", out,
                wrt(
                    self,
                    [](const Tensor& g, const Tensor& x, const Tensor& e) {
                      return where(e == 0, 0, g * (e * x.pow(e - 1)));
                    },
                    self, exponent),
                wrt(
                    exponent,
                    [](const Tensor& g, const Tensor& x, const Tensor& e, const Tensor& y) {
                      // The derivative of 0^e with respect to e is 0 for e >= 0.
                      const Tensor slope = y * log(x.to(y.dtype()));
                      return g * where(logical_and(x == 0, e >= 0), 0, slope);
                    },
                    self, exponent, out));
}

Tensor pow(const Scalar& self, const Tensor& exponent) {
  TERN_OP("pow", self, exponent);
  Tensor out = pow_into(self, exponent, {});
  if (!needs_grad(exponent)) return out;
  return record("PowBackward2", out,
                wrt(
                    exponent,
                    [self](const Tensor& g, const Tensor& e, const Tensor& y) {
                      const double base = self.toDouble();
                      if (base == 0) return where(e >= 0, 0, g * (y * std::log(base)));
                      return g * (y * std::log(base));
                    },
                    exponent, out));
}

Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  TERN_OP("addcmul", self, a, b);
  Tensor out = addcmul_into(self, a, b, value, {});
  if (!needs_grad(self, a, b)) return out;
  const auto rule = [value](const Tensor& g, const Tensor& other) {
    return scaled(g * other, value);
  };
  return record("AddcmulBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(a, rule, b), wrt(b, rule, a));
}

Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  TERN_OP("lerp", self, end);
  Tensor out = lerp_into(self, end, weight, {});
  if (!needs_grad(self, end)) return out;
  return record("LerpBackward0", out,
                wrt(self, [weight](const Tensor& g) { return g * (1 - weight.toDouble()); }),
                wrt(end, [weight](const Tensor& g) { return g * weight; }));
}

// --- In-place functions --------------------------------------------------------------------------

Tensor& add_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("add_", self, other);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? add_into(x, other, alpha, out) : tern::add(x, other, alpha);
  };
  return detail::inplace(self, op, other);
}
Tensor& add_(Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("add_", self);
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? add_into(x, other, alpha, out) : tern::add(x, other, alpha);
  });
}
Tensor& sub_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("sub_", self, other);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? sub_into(x, other, alpha, out) : tern::sub(x, other, alpha);
  };
  return detail::inplace(self, op, other);
}
Tensor& sub_(Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("sub_", self);
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? sub_into(x, other, alpha, out) : tern::sub(x, other, alpha);
  });
}
Tensor& mul_(Tensor& self, const Tensor& other) {
  TERN_OP("mul_", self, other);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? mul_into(x, other, out) : tern::mul(x, other);
  };
  return detail::inplace(self, op, other);
}
Tensor& mul_(Tensor& self, const Scalar& other) {
  TERN_OP("mul_", self);
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? mul_into(x, other, out) : tern::mul(x, other);
  });
}
Tensor& div_(Tensor& self, const Tensor& other) {
  TERN_OP("div_", self, other);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? div_into(x, other, out) : tern::div(x, other);
  };
  return detail::inplace(self, op, other);
}
Tensor& div_(Tensor& self, const Scalar& other) {
  TERN_OP("div_", self);
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? div_into(x, other, out) : tern::div(x, other);
  });
}
Tensor& pow_(Tensor& self, const Scalar& exponent) {
  TERN_OP("pow_", self);
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? pow_into(x, exponent, out) : tern::pow(x, exponent);
  });
}
Tensor& addcmul_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  TERN_OP("addcmul_", self, a, b);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? addcmul_into(x, a, b, value, out) : tern::addcmul(x, a, b, value);
  };
  return detail::inplace(self, op, a, b);
}
Tensor& lerp_(Tensor& self, const Tensor& end, const Scalar& weight) {
  TERN_OP("lerp_", self, end);
  const auto op = [&](const Tensor& x, const Tensor& out) {
    return out.defined() ? lerp_into(x, end, weight, out) : tern::lerp(x, end, weight);
  };
  return detail::inplace(self, op, end);
}

}  // namespace tern
