#include <tern/core/ops/elementwise/detail/unary.h>
#include <tern/core/ops/ops.h>

namespace tern::detail {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::ElementwiseOp;

/// A gradient g f(s) as one kernel, where s is what the op saved.
struct FusedGradient {
  const char* name;
  const char* node;
  ElementwiseOp op;
  Tensor (*slope)(const Tensor& saved);  // the derivative of f; null if it is 0
  Scalar scale = 1;
};

Tensor run(const FusedGradient& what, const Tensor& gradient, const Tensor& saved) {
  Tensor out =
      run_elementwise({what.name, what.op, gradient.dtype(), false, what.scale}, {gradient, saved});
  if (!needs_grad(gradient, saved)) return out;
  const auto of_gradient = wrt(
      gradient, [what](const Tensor& g, const Tensor& s) { return run(what, g, s); }, saved);
  // A second derivative of 0 must not be missing.
  if (what.slope == nullptr) {
    return record(what.node, out, of_gradient,
                  wrt(saved, [](const Tensor& g) { return zeros_like(g); }));
  }
  return record(what.node, out, of_gradient,
                wrt(
                    saved,
                    [what](const Tensor& g, const Tensor& gradient_in, const Tensor& s) {
                      return g * gradient_in * what.slope(s);
                    },
                    gradient, saved));
}

}  // namespace

Tensor relu_backward(const Tensor& gradient, const Tensor& result) {
  return run({"relu_backward", "ThresholdBackwardBackward0", ElementwiseOp::relu_backward, nullptr},
             gradient, result);
}

Tensor leaky_relu_backward(const Tensor& gradient, const Tensor& input, const Scalar& slope) {
  return run({"leaky_relu_backward", "LeakyReluBackwardBackward0",
              ElementwiseOp::leaky_relu_backward, nullptr, slope},
             gradient, input);
}

Tensor hardsigmoid_backward(const Tensor& gradient, const Tensor& input) {
  return run({"hardsigmoid_backward", "HardsigmoidBackwardBackward0",
              ElementwiseOp::hardsigmoid_backward, nullptr},
             gradient, input);
}

Tensor hardswish_backward(const Tensor& gradient, const Tensor& input) {
  const auto slope = [](const Tensor& x) { return where(abs(x) < 3, ones_like(x) / 3, 0); };
  return run({"hardswish_backward", "HardswishBackwardBackward0", ElementwiseOp::hardswish_backward,
              slope},
             gradient, input);
}

Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result) {
  const auto slope = [](const Tensor& y) { return 1 - 2 * y; };
  return run(
      {"sigmoid_backward", "SigmoidBackwardBackward0", ElementwiseOp::sigmoid_backward, slope},
      gradient, result);
}

Tensor tanh_backward(const Tensor& gradient, const Tensor& result) {
  const auto slope = [](const Tensor& y) { return -2 * y; };
  return run({"tanh_backward", "TanhBackwardBackward0", ElementwiseOp::tanh_backward, slope},
             gradient, result);
}

Tensor silu_backward(const Tensor& gradient, const Tensor& input) {
  const auto slope = [](const Tensor& x) {
    const Tensor s = sigmoid(x);
    return s * (1 - s) * (2 + x * (1 - 2 * s));
  };
  return run({"silu_backward", "SiluBackwardBackward0", ElementwiseOp::silu_backward, slope},
             gradient, input);
}

Tensor gelu_backward(const Tensor& gradient, const Tensor& input) {
  const auto slope = [](const Tensor& x) {
    constexpr double kDensity = 0.398942280401432677940;  // 1 / sqrt(2 pi)
    const Tensor squares = square(x);
    return kDensity * exp(-0.5 * squares) * (2 - squares);
  };
  return run({"gelu_backward", "GeluBackwardBackward0", ElementwiseOp::gelu_backward, slope},
             gradient, input);
}

Tensor gelu_tanh_backward(const Tensor& gradient, const Tensor& input) {
  const auto slope = [](const Tensor& x) {
    constexpr double kFactor = 0.797884560802865355880, kCubic = 0.044715;  // sqrt(2 / pi)
    const Tensor squares = square(x);
    const Tensor t = tanh(kFactor * x * (1 + kCubic * squares));
    const Tensor inner = kFactor * (1 + 3 * kCubic * squares);  // the derivative of tanh's input
    return (1 - square(t)) * (inner + x * (3 * kFactor * kCubic * x - t * square(inner)));
  };
  return run({"gelu_backward", "GeluBackwardBackward0", ElementwiseOp::gelu_tanh_backward, slope},
             gradient, input);
}

}  // namespace tern::detail
