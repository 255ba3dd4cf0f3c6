#include <cmath>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

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

Tensor pow_into(const Operand& self, const Operand& exponent, const Tensor& out) {
  const ScalarType dtype = result_type({self, exponent});
  if (detail::is_integral(dtype) && !exponent.is_tensor()) {
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

void check_double(const Tensor& self) {
  TERN_CHECK(self.dtype() == kDouble, DTypeError, "the base given to float_power_ has dtype ",
             self.scalar_type(), " but the operation's result requires dtype ", kDouble);
}

}  // namespace

Tensor pow(const Tensor& self, const Scalar& exponent) {
  TERN_OP("pow", self);
  TERN_AUTOCAST(kUnchanged, kFloat32, pow, self, exponent);
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
  TERN_AUTOCAST(kUnchanged, kFloat32, pow, self, exponent);
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
  TERN_AUTOCAST(kUnchanged, kFloat32, pow, self, exponent);
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

Tensor& pow_(Tensor& self, const Tensor& other) {
  TERN_OP("pow_", self, other);
  return TERN_INPLACE(pow, Old::kSaved, self, other);
}
Tensor& pow_(Tensor& self, const Scalar& other) {
  TERN_OP("pow_", self);
  return TERN_INPLACE(pow, Old::kSaved, self, other);
}

Tensor float_power(const Tensor& self, const Tensor& exponent) {
  TERN_OP("float_power", self, exponent);
  return pow(self.to(kDouble), exponent.to(kDouble));
}
Tensor float_power(const Tensor& self, const Scalar& exponent) {
  TERN_OP("float_power", self);
  return pow(self.to(kDouble), exponent.toDouble());
}
Tensor float_power(const Scalar& self, const Tensor& exponent) {
  TERN_OP("float_power", self, exponent);
  return pow(self.toDouble(), exponent.to(kDouble));
}
Tensor& float_power_(Tensor& self, const Tensor& exponent) {
  TERN_OP("float_power_", self, exponent);
  check_double(self);
  return pow_(self, exponent.to(kDouble));
}
Tensor& float_power_(Tensor& self, const Scalar& exponent) {
  TERN_OP("float_power_", self);
  check_double(self);
  return pow_(self, exponent.toDouble());
}

}  // namespace tern
