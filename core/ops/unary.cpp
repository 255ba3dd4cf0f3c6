#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/inplace.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::ElementwiseCall;
using detail::run_elementwise;
using kernels::ElementwiseOp;

enum class Saved { kNothing, kInput, kOutput };

ElementwiseCall unary_call(const char* name, ElementwiseOp op, const Tensor& self) {
  const ScalarType dtype = self.dtype();
  if (is_floating_point(dtype)) return {name, op, dtype};
  // The dtypes of the kernel decide to which dtype integers are cast.
  const bool is_float_op = kernels::elementwise_info(op).kind == kernels::ElementwiseKind::kFloat;
  if (is_float_op) return {name, op, get_default_dtype()};
  return {name, op, op == ElementwiseOp::square && dtype == kBool ? kLong : dtype};
}

Tensor run_unary(const char* name, ElementwiseOp op, const Tensor& self, const Tensor& out) {
  if (op == ElementwiseOp::sign && self.dtype() == kBool) {  // a bool is its own sign
    return out.defined() ? out : self.clone();
  }
  return run_elementwise(unary_call(name, op, self), {self}, out);
}

// Returns true if the caller's tensor is a temporary whose memory nobody else will read.
bool may_reuse(const Tensor& self, ScalarType dtype) {
  return self.use_count() == 1 && self.dtype() == dtype && self.self().storage->is_exclusive() &&
         !self.is_view() && self.is_contiguous() && (!self.requires_grad() || !self.is_leaf());
}

template <Saved saved, class Rule>
Tensor unary(const char* name, const char* node, ElementwiseOp op, const Tensor& self, Rule rule) {
  const ElementwiseCall call = unary_call(name, op, self);
  const bool recorded = needs_grad(self);
  const bool reuses = may_reuse(self, call.dtype) && !(recorded && saved == Saved::kInput);
  Tensor out = run_unary(name, op, self, reuses ? detail::make_alias(self) : Tensor());
  if (!recorded) return out;
  if constexpr (saved == Saved::kNothing) {
    return record(node, out, wrt(self, [rule](const Tensor& g) { return rule(g, g); }));
  } else {
    return record(node, out, wrt(self, rule, saved == Saved::kInput ? self : out));
  }
}

}  // namespace

// Defines a function and its in-place form: TERN_UNARY(name, name of the gradient, what backward
// saves, gradient). In the gradient, g is the gradient of the result, x the input (if kInput is
// saved) and y the result (if kOutput is saved).
// NOLINTBEGIN(performance-unnecessary-value-param): by value, so that a temporary is recycled.
#define TERN_UNARY(name, node, saves, gradient)                                        \
  Tensor name(Tensor self) {                                                           \
    TERN_OP(#name, self);                                                              \
    return unary<Saved::saves>(                                                        \
        #name, node, ElementwiseOp::name, self,                                        \
        [](const Tensor& g, [[maybe_unused]] const Tensor& saved) {                    \
          [[maybe_unused]] const Tensor& x = saved; /* the input, if that is saved */  \
          [[maybe_unused]] const Tensor& y = saved; /* the result, if that is saved */ \
          return gradient;                                                             \
        });                                                                            \
  }                                                                                    \
  Tensor& name##_(Tensor& self) {                                                      \
    TERN_OP(#name "_", self);                                                          \
    return detail::inplace(self, [](const Tensor& x, const Tensor& out) {              \
      if (!out.defined()) return name(x);                                              \
      return run_unary(#name "_", ElementwiseOp::name, x, out);                        \
    });                                                                                \
  }
TERN_UNARY(neg, "NegBackward0", kNothing, -g)
TERN_UNARY(abs, "AbsBackward0", kInput, g* sign(x))
TERN_UNARY(sign, "SignBackward0", kNothing, zeros_like(g))
TERN_UNARY(square, "PowBackward0", kInput, 2 * x * g)
TERN_UNARY(floor, "FloorBackward0", kNothing, zeros_like(g))
TERN_UNARY(ceil, "CeilBackward0", kNothing, zeros_like(g))
TERN_UNARY(round, "RoundBackward0", kNothing, zeros_like(g))
TERN_UNARY(trunc, "TruncBackward0", kNothing, zeros_like(g))
TERN_UNARY(relu, "ReluBackward0", kOutput, detail::relu_backward(g, y))
TERN_UNARY(exp, "ExpBackward0", kOutput, g* y)
TERN_UNARY(expm1, "Expm1Backward0", kOutput, g*(y + 1))
TERN_UNARY(log, "LogBackward0", kInput, g / x)
TERN_UNARY(log1p, "Log1PBackward0", kInput, g / (x + 1))
TERN_UNARY(sqrt, "SqrtBackward0", kOutput, g / (2 * y))
TERN_UNARY(rsqrt, "RsqrtBackward0", kOutput, -0.5 * g * y * y * y)
TERN_UNARY(reciprocal, "ReciprocalBackward0", kOutput, -g* y* y)
TERN_UNARY(sin, "SinBackward0", kInput, g* cos(x))
TERN_UNARY(cos, "CosBackward0", kInput, -g* sin(x))
TERN_UNARY(tanh, "TanhBackward0", kOutput, detail::tanh_backward(g, y))
TERN_UNARY(sigmoid, "SigmoidBackward0", kOutput, detail::sigmoid_backward(g, y))
#undef TERN_UNARY
// NOLINTEND(performance-unnecessary-value-param)

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
