#include <tern/core/base/detail/libtorch.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/no_gradient.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Quotients and remainders.

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
using RoundingMode = std::optional<std::string_view>;

Tensor run_div(const Operand& self, const Operand& other, const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  return run_elementwise(
      {"div", ElementwiseOp::div, is_floating_point(dtype) ? dtype : get_default_dtype()},
      {self, other}, out);
}

// Throws Error if an element of the integer divisor is 0, unless the kernel checks that itself.
void check_divisor(ScalarType dtype, const Operand& self, const Operand& other) {
  if (self.is_tensor() && self.tensor().numel() == 0) return;  // divides nothing
  if (!other.is_tensor()) {
    const bool is_zero = visit_dtype(dtype, [&](auto tag) {
      // 256 is 0 as an uint8.
      return static_cast<typename decltype(tag)::type>(other.scalar().toLong()) == 0;
    });
    TERN_CHECK(!is_zero, Error, kernels::broken_rule(kernels::RequireOp::kDivisor));
  } else if (!detail::common_device({self, other}).is_cpu()) {
    detail::require_all("remainder", kernels::RequireOp::kDivisor,
                        other.tensor().to(dtype).to(kLong));
  }
}

/// Runs an op that divides integers as integers. `name` is PyTorch's name of the kernel.
Tensor run_divide(const char* name, ElementwiseOp op, const Operand& self, const Operand& other,
                  const Tensor& out) {
  const ScalarType dtype = result_type({self, other});
  if (dtype == kBool) detail::throw_not_implemented(name, dtype, {self, other});
  if (detail::is_integral(dtype)) check_divisor(dtype, self, other);
  return run_elementwise({name, op, dtype}, {self, other}, out);
}

Tensor floor_divide_into(const Operand& self, const Operand& other, const Tensor& out) {
  return run_divide("div_floor", ElementwiseOp::div_floor, self, other, out);
}

Tensor div_into(const Operand& self, const Operand& other, const RoundingMode& mode,
                const Tensor& out) {
  if (!mode) return run_div(self, other, out);
  if (*mode == "floor") return floor_divide_into(self, other, out);
  TERN_CHECK(*mode == "trunc", Error,
             "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", *mode,
             "'");
  return run_divide("div_trunc", ElementwiseOp::div_trunc, self, other, out);
}

Tensor record_div(const char* node, const Tensor& out, const Tensor& self, const Tensor& other) {
  return record(
      node, out,
      wrt(
          self, [](const Tensor& g, const Tensor& b) { return g / b; }, other),
      wrt(
          other,
          [](const Tensor& g, const Tensor& a, const Tensor& b) { return -g * ((a / b) / b); },
          self, other));
}

// These record themselves.

Tensor div_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  Tensor result = run_div(self, other, out);
  return needs_grad(self, other) ? record_div("DivBackward0", result, self, other) : result;
}

Tensor div_into(const Tensor& self, const Scalar& other, const Tensor& out) {
  Tensor result = run_div(self, other, out);
  if (!needs_grad(self)) return result;
  return record(detail::scalar_node("DivBackward0", "DivBackward1"), result,
                wrt(self, [other](const Tensor& g) { return g / other; }));
}

/// Returns self - divisor * quotient, for the quotient rounded as `mode` says.
Tensor rest_into(const char* name, ElementwiseOp op, const char* node, const char* mode,
                 const Tensor& self, const Operand& other, const Tensor& out) {
  Tensor result = run_divide(name, op, self, other, out);
  const Tensor& divisor = other.tensor_or_undefined();
  if (!needs_grad(self, divisor)) return result;
  return record(
      node, result, wrt(self, [](const Tensor& g) { return g; }),
      wrt(
          divisor,
          [mode](const Tensor& g, const Tensor& a, const Tensor& b) { return -g * a.div(b, mode); },
          self, divisor));
}

Tensor remainder_into(const Tensor& self, const Operand& other, const Tensor& out) {
  return rest_into("remainder", ElementwiseOp::remainder,
                   other.is_tensor() ? "RemainderBackward1" : "RemainderBackward0", "floor", self,
                   other, out);
}

Tensor fmod_into(const Tensor& self, const Operand& other, const Tensor& out) {
  return rest_into("fmod", ElementwiseOp::fmod,
                   other.is_tensor() ? "FmodBackward1" : "FmodBackward0", "trunc", self, other,
                   out);
}

}  // namespace

Tensor div(const Tensor& self, const Tensor& other) {
  TERN_OP("div", self, other);
  return div_into(self, other, {});
}

Tensor div(const Tensor& self, const Scalar& other) {
  TERN_OP("div", self);
  return div_into(self, other, {});
}

Tensor div(const Tensor& self, const Tensor& other, RoundingMode rounding_mode) {
  TERN_OP("div", self, other);
  Tensor out = div_into(self, other, rounding_mode, {});
  if (!needs_grad(self, other)) return out;
  if (!rounding_mode) return record_div("DivBackward2", out, self, other);
  const auto zero = [](const Tensor& g) { return zeros_like(g); };
  return record("DivBackward2", out, wrt(self, zero), wrt(other, zero));
}

Tensor div(const Tensor& self, const Scalar& other, RoundingMode rounding_mode) {
  TERN_OP("div", self);
  Tensor out = div_into(self, other, rounding_mode, {});
  if (!needs_grad(self)) return out;
  return record("DivBackward2", out,
                wrt(self, [other, is_rounded = rounding_mode.has_value()](const Tensor& g) {
                  return is_rounded ? zeros_like(g) : g / other;
                }));
}

Tensor floor_divide(const Tensor& self, const Tensor& other) {
  TERN_OP("floor_divide", self, other);
  return detail::without_gradient("floor_divide", floor_divide_into(self, other, {}), self, other);
}

Tensor floor_divide(const Tensor& self, const Scalar& other) {
  TERN_OP("floor_divide", self);
  return detail::without_gradient("floor_divide", floor_divide_into(self, other, {}), self);
}

Tensor remainder(const Tensor& self, const Tensor& other) {
  TERN_OP("remainder", self, other);
  return remainder_into(self, other, {});
}

Tensor remainder(const Tensor& self, const Scalar& other) {
  TERN_OP("remainder", self);
  return remainder_into(self, other, {});
}

Tensor remainder(const Scalar& self, const Tensor& other) {
  TERN_OP("remainder", self, other);
  return detail::without_gradient(
      "remainder", run_divide("remainder", ElementwiseOp::remainder, self, other, {}), other);
}

Tensor fmod(const Tensor& self, const Tensor& other) {
  TERN_OP("fmod", self, other);
  return fmod_into(self, other, {});
}

Tensor fmod(const Tensor& self, const Scalar& other) {
  TERN_OP("fmod", self);
  return fmod_into(self, other, {});
}

Tensor& div_(Tensor& self, const Tensor& other) {
  TERN_OP("div_", self, other);
  // Only the gradient of `other` needs the old elements of `self`.
  return TERN_INPLACE(div, needs_grad(other) ? Old::kSaved : Old::kReplaced, self, other);
}
Tensor& div_(Tensor& self, const Scalar& other) {
  TERN_OP("div_", self);
  return TERN_INPLACE(div, Old::kReplaced, self, other);
}
Tensor& floor_divide_(Tensor& self, const Tensor& other) {
  TERN_OP("floor_divide_", self, other);
  return TERN_INPLACE(floor_divide, Old::kSaved, self, other);
}
Tensor& floor_divide_(Tensor& self, const Scalar& other) {
  TERN_OP("floor_divide_", self);
  return TERN_INPLACE(floor_divide, Old::kSaved, self, other);
}
Tensor& remainder_(Tensor& self, const Tensor& other) {
  TERN_OP("remainder_", self, other);
  return TERN_INPLACE(remainder, Old::kSaved, self, other);
}
Tensor& remainder_(Tensor& self, const Scalar& other) {
  TERN_OP("remainder_", self);
  return TERN_INPLACE(remainder, Old::kReplaced, self, other);
}
Tensor& fmod_(Tensor& self, const Tensor& other) {
  TERN_OP("fmod_", self, other);
  return TERN_INPLACE(fmod, Old::kSaved, self, other);
}
Tensor& fmod_(Tensor& self, const Scalar& other) {
  TERN_OP("fmod_", self);
  return TERN_INPLACE(fmod, Old::kReplaced, self, other);
}

Tensor& div_(Tensor& self, const Tensor& other, RoundingMode rounding_mode) {
  TERN_OP("div_", self, other);
  return TERN_INPLACE(div, Old::kSaved, self, other, rounding_mode);
}
Tensor& div_(Tensor& self, const Scalar& other, RoundingMode rounding_mode) {
  TERN_OP("div_", self);
  return TERN_INPLACE(div, Old::kSaved, self, other, rounding_mode);
}

}  // namespace tern
