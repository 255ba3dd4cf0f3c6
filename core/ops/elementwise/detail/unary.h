#pragma once

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>

// How ops of one tensor run and record their gradient.

namespace tern::detail {

/// Returns the call of a kernel with one input. Real functions compute integers in the default
/// dtype.
ElementwiseCall unary_call(const char* name, kernels::ElementwiseOp op, const Tensor& self,
                           const Scalar& scale = 1);

/// Runs such a call.
Tensor run_unary(const char* name, kernels::ElementwiseOp op, const Tensor& self, const Tensor& out,
                 const Scalar& scale = 1);

/// Returns true if the caller's tensor is a temporary whose memory nobody else will read.
bool may_reuse(const Tensor& self, ScalarType dtype);

/// Throws NotImplementedError unless the dtype is floating point. `kernel` is PyTorch's name of the
/// kernel.
void check_floating(const char* kernel, const Tensor& self);

/// The tensor that a gradient rule needs.
enum class Saved { kNothing, kInput, kOutput };

/// Returns the gradient of the input, from the gradient of the result and the saved tensor.
using UnaryRule = Tensor (*)(const Tensor& g, const Tensor& saved);

/// Runs and records an op.
Tensor unary(const char* name, const char* node, kernels::ElementwiseOp op, const Tensor& self,
             Saved saved, UnaryRule rule, const Scalar& scale = 1);

// Gradients that are worth a kernel of their own. Differentiable like any op.
Tensor relu_backward(const Tensor& gradient, const Tensor& result);
Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result);
Tensor tanh_backward(const Tensor& gradient, const Tensor& result);

}  // namespace tern::detail

// Defines a function and its in-place form: TERN_UNARY(name, name of the gradient, what backward
// saves, gradient). In the gradient, g is the gradient of the result, x the input (if kInput is
// saved) and y the result (if kOutput is saved).
#define TERN_UNARY(name, node, saves, gradient) \
  TERN_UNARY_RULE(static_assert(true), name, node, saves, gradient)
/// The same for an op that autocast computes in float32 on CUDA.
#define TERN_UNARY_FLOAT32(name, node, saves, gradient) \
  TERN_UNARY_RULE(TERN_AUTOCAST(kUnchanged, kFloat32, name, self), name, node, saves, gradient)
// The common part. `rule` follows TERN_OP.
#define TERN_UNARY_RULE(rule, name, node, saves, gradient)                               \
  Tensor name(Tensor self) { /* NOLINT(performance-unnecessary-value-param): recycled */ \
    TERN_OP(#name, self);                                                                \
    rule;                                                                                \
    return detail::unary(                                                                \
        #name, node, kernels::ElementwiseOp::name, self, detail::Saved::saves,           \
        [](const Tensor& g, [[maybe_unused]] const Tensor& saved) {                      \
          [[maybe_unused]] const Tensor& x = saved; /* the input, if that is saved */    \
          [[maybe_unused]] const Tensor& y = saved; /* the result, if that is saved */   \
          return gradient;                                                               \
        });                                                                              \
  }                                                                                      \
  Tensor& name##_(Tensor& self) {                                                        \
    TERN_OP(#name "_", self);                                                            \
    const auto op = [](const Tensor& x, const Tensor& out) {                             \
      if (!out.defined()) return name(x);                                                \
      return detail::run_unary(#name "_", kernels::ElementwiseOp::name, x, out);         \
    };                                                                                   \
    if (detail::Saved::saves == detail::Saved::kInput) return detail::inplace(self, op); \
    return detail::overwrite(self, op);                                                  \
  }
