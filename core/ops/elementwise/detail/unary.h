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

/// Runs and records the in-place form `name` of an op.
Tensor& unary_inplace(Tensor& self, const char* name, const char* node, kernels::ElementwiseOp op,
                      Saved saved, UnaryRule rule);

// Gradients that are worth a kernel of their own. Differentiable like any op.
Tensor relu_backward(const Tensor& gradient, const Tensor& result);
Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result);
Tensor tanh_backward(const Tensor& gradient, const Tensor& result);
Tensor leaky_relu_backward(const Tensor& gradient, const Tensor& input, const Scalar& slope);
Tensor hardsigmoid_backward(const Tensor& gradient, const Tensor& input);
Tensor hardswish_backward(const Tensor& gradient, const Tensor& input);
Tensor silu_backward(const Tensor& gradient, const Tensor& input);
Tensor gelu_backward(const Tensor& gradient, const Tensor& input);
Tensor gelu_tanh_backward(const Tensor& gradient, const Tensor& input);

}  // namespace tern::detail
