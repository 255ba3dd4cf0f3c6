#include <tern/core/base/detail/libtorch.h>
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

void check_alpha(ScalarType dtype, const Scalar& alpha) {
  TERN_CHECK(is_floating_point(dtype) || !alpha.is_floating_point(), DTypeError,
             "For integral input tensors, argument alpha must not be a floating point number. Got "
             "alpha ",
             alpha, " and the result type ", dtype);
  TERN_CHECK(dtype == kBool || !alpha.is_boolean(), DTypeError,
             "Boolean alpha only supported for Boolean results. Got the result type ", dtype);
}

bool is_one(const Scalar& scalar) { return scalar == Scalar(1); }
Tensor scaled(const Tensor& g, const Scalar& factor) { return is_one(factor) ? g : g * factor; }

// --- The ops, recorded; they write to `out` if it is defined
// --------------------------------------

Tensor keep_gradient(const Tensor& g) { return g; }

const char* node_of(const Operand& other, const char* of_tensor, const char* of_number) {
  return other.is_tensor() ? of_tensor : detail::scalar_node(of_tensor, of_number);
}

// PyTorch's kernel of sub(), also of rsub(); not recorded.
Tensor run_sub(const Operand& self, const Operand& other, const Scalar& alpha, const Tensor& out) {
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

Tensor add_into(const Tensor& self, const Operand& other, const Scalar& alpha, const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  check_alpha(dtype, alpha);
  Tensor result =
      run_elementwise({"add", ElementwiseOp::add, dtype, false, alpha}, {self, other}, out);
  if (!needs_grad(self, other.tensor_or_undefined())) return result;
  return record(
      node_of(other, "AddBackward0", "AddBackward1"), result, wrt(self, keep_gradient),
      wrt(other.tensor_or_undefined(), [alpha](const Tensor& g) { return scaled(g, alpha); }));
}

Tensor sub_into(const Tensor& self, const Operand& other, const Scalar& alpha, const Tensor& out) {
  Tensor result = run_sub(self, other, alpha, out);
  if (!needs_grad(self, other.tensor_or_undefined())) return result;
  return record(
      node_of(other, "SubBackward0", "SubBackward1"), result, wrt(self, keep_gradient),
      wrt(other.tensor_or_undefined(), [alpha](const Tensor& g) { return scaled(g, -alpha); }));
}

Tensor mul_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  Tensor result =
      run_elementwise({"mul", ElementwiseOp::mul, result_type({self, other})}, {self, other}, out);
  if (!needs_grad(self, other)) return result;
  return record("MulBackward0", result,
                wrt(
                    self, [](const Tensor& g, const Tensor& b) { return g * b; }, other),
                wrt(
                    other, [](const Tensor& g, const Tensor& a) { return g * a; }, self));
}

Tensor mul_into(const Tensor& self, const Scalar& other, const Tensor& out) {
  Tensor result =
      run_elementwise({"mul", ElementwiseOp::mul, result_type({self, other})}, {self, other}, out);
  if (!needs_grad(self)) return result;
  return record(detail::scalar_node("MulBackward0", "MulBackward1"), result,
                wrt(self, [other](const Tensor& g) { return g * other; }));
}

Tensor addcmul_into(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value,
                    const Tensor& out) {
  Tensor result =
      run_elementwise({"addcmul", ElementwiseOp::addcmul, result_type({self, a, b}), false, value},
                      {self, a, b}, out);
  if (!needs_grad(self, a, b)) return result;
  const auto rule = [value](const Tensor& g, const Tensor& other) {
    return scaled(g * other, value);
  };
  return record("AddcmulBackward0", result, wrt(self, keep_gradient), wrt(a, rule, b),
                wrt(b, rule, a));
}

Tensor addcdiv_into(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value,
                    const Tensor& out) {
  TERN_CHECK(a.is_floating_point() || b.is_floating_point(), DTypeError,
             "Integer division with addcdiv is no longer supported. Use input + value * div(a, b, "
             "\"trunc\"), or convert an integer tensor to a floating dtype. Got ",
             a.scalar_type(), " and ", b.scalar_type());
  Tensor result =
      run_elementwise({"addcdiv", ElementwiseOp::addcdiv, result_type({self, a, b}), false, value},
                      {self, a, b}, out);
  if (!needs_grad(self, a, b)) return result;
  return record(
      "AddcdivBackward0", result, wrt(self, keep_gradient),
      wrt(
          a, [value](const Tensor& g, const Tensor& divisor) { return g * (value / divisor); }, b),
      wrt(
          b,
          [value](const Tensor& g, const Tensor& dividend, const Tensor& divisor) {
            return -g * (scaled(dividend, value) / (divisor * divisor));
          },
          a, b));
}

void check_lerp_dtype(const Tensor& self, const char* name, const Tensor& other) {
  TERN_CHECK(self.dtype() == other.dtype(), DTypeError, "expected dtype ", self.scalar_type(),
             " for `", name, "` but got dtype ", other.scalar_type());
}

Tensor lerp_into(const Tensor& self, const Tensor& end, const Scalar& weight, const Tensor& out) {
  check_lerp_dtype(self, "end", end);
  Tensor result =
      run_elementwise({"lerp", ElementwiseOp::lerp, self.dtype(), false, weight}, {self, end}, out);
  if (!needs_grad(self, end)) return result;
  return record("LerpBackward0", result,
                wrt(self, [weight](const Tensor& g) { return g * (1 - weight.toDouble()); }),
                wrt(end, [weight](const Tensor& g) { return g * weight; }));
}

Tensor lerp_into(const Tensor& self, const Tensor& end, const Tensor& weight, const Tensor& out) {
  check_lerp_dtype(self, "end", end);
  if (weight.dim() > 0) check_lerp_dtype(self, "weight", weight);
  const ScalarType dtype = result_type({self, end, weight});
  Tensor result = run_elementwise({"lerp_kernel_tensor", ElementwiseOp::lerp_tensor, dtype},
                                  {self, end, weight}, out);
  if (!needs_grad(self, end, weight)) return result;
  return record(
      "LerpBackward1", result,
      wrt(
          self, [](const Tensor& g, const Tensor& w) { return g * (1 - w); }, weight),
      wrt(
          end, [](const Tensor& g, const Tensor& w) { return g * w; }, weight),
      wrt(
          weight,
          [](const Tensor& g, const Tensor& from, const Tensor& to) { return g * (to - from); },
          self, end));
}

}  // namespace

// --- Functions -----------------------------------------------------------------------------------

Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("add", self, other);
  return add_into(self, other, alpha, {});
}
Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("add", self);
  return add_into(self, other, alpha, {});
}
Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("sub", self, other);
  return sub_into(self, other, alpha, {});
}
Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("sub", self);
  return sub_into(self, other, alpha, {});
}

Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha) {
  TERN_OP("rsub", input, other);
  detail::common_device({input, other});  // throws in the order of the arguments
  Tensor out = run_sub(other, input, alpha, {});
  if (!needs_grad(input, other)) return out;
  return record("RsubBackward0", out,
                wrt(input, [alpha](const Tensor& g) { return scaled(g, -alpha); }),
                wrt(other, keep_gradient));
}

Tensor rsub(const Tensor& input, const Scalar& other, const Scalar& alpha) {
  TERN_OP("rsub", input);
  Tensor out = run_sub(other, input, alpha, {});
  if (!needs_grad(input)) return out;
  return record("RsubBackward1", out,
                wrt(input, [alpha](const Tensor& g) { return scaled(g, -alpha); }));
}

Tensor mul(const Tensor& self, const Tensor& other) {
  TERN_OP("mul", self, other);
  return mul_into(self, other, {});
}
Tensor mul(const Tensor& self, const Scalar& other) {
  TERN_OP("mul", self);
  return mul_into(self, other, {});
}

Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  TERN_OP("addcmul", self, a, b);
  TERN_AUTOCAST(kUnchanged, kWidest, addcmul, self, a, b, value);
  return addcmul_into(self, a, b, value, {});
}
Tensor addcdiv(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  TERN_OP("addcdiv", self, a, b);
  TERN_AUTOCAST(kUnchanged, kWidest, addcdiv, self, a, b, value);
  return addcdiv_into(self, a, b, value, {});
}

Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  TERN_OP("lerp", self, end);
  return lerp_into(self, end, weight, {});
}
Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  TERN_OP("lerp", self, end, weight);
  return lerp_into(self, end, weight, {});
}

// --- In-place functions --------------------------------------------------------------------------

Tensor& add_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("add_", self, other);
  return TERN_INPLACE(add, Old::kReplaced, self, other, alpha);
}
Tensor& add_(Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("add_", self);
  return TERN_INPLACE(add, Old::kReplaced, self, other, alpha);
}
Tensor& sub_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  TERN_OP("sub_", self, other);
  return TERN_INPLACE(sub, Old::kReplaced, self, other, alpha);
}
Tensor& sub_(Tensor& self, const Scalar& other, const Scalar& alpha) {
  TERN_OP("sub_", self);
  return TERN_INPLACE(sub, Old::kReplaced, self, other, alpha);
}
Tensor& mul_(Tensor& self, const Tensor& other) {
  TERN_OP("mul_", self, other);
  // Only the gradient of `other` needs the old elements of `self`.
  return TERN_INPLACE(mul, needs_grad(other) ? Old::kSaved : Old::kReplaced, self, other);
}
Tensor& mul_(Tensor& self, const Scalar& other) {
  TERN_OP("mul_", self);
  return TERN_INPLACE(mul, Old::kReplaced, self, other);
}
Tensor& addcmul_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  TERN_OP("addcmul_", self, a, b);
  return TERN_INPLACE(addcmul, Old::kReplaced, self, a, b, value);
}
Tensor& lerp_(Tensor& self, const Tensor& end, const Scalar& weight) {
  TERN_OP("lerp_", self, end);
  return TERN_INPLACE(lerp, Old::kReplaced, self, end, weight);
}

Tensor& addcdiv_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  TERN_OP("addcdiv_", self, a, b);
  return TERN_INPLACE(addcdiv, Old::kReplaced, self, a, b, value);
}
Tensor& lerp_(Tensor& self, const Tensor& end, const Tensor& weight) {
  TERN_OP("lerp_", self, end, weight);
  return TERN_INPLACE(lerp, needs_grad(weight) ? Old::kSaved : Old::kReplaced, self, end, weight);
}

}  // namespace tern
