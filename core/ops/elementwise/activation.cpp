#include <tern/core/autograd/record.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/elementwise/detail/unary.h>
#include <tern/core/ops/ops.h>

// Activations.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_floating;
using detail::Old;
using detail::run_elementwise;
using detail::run_unary;
using kernels::ElementwiseOp;

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

/// An activation with one kernel of one input.
struct Activation {
  const char* name;
  const char* node;
  const char* kernel;  // PyTorch's name, for the error text
  ElementwiseOp op;
};

template <class Rule>
Tensor activate(const Activation& what, const Tensor& input, Rule rule, const Scalar& scale = 1) {
  check_floating(what.kernel, input);
  Tensor out = run_unary(what.name, what.op, input, {}, scale);
  return needs_grad(input) ? record(what.node, out, wrt(input, rule, input)) : out;
}

Tensor threshold_into(const Tensor& x, const Scalar& threshold, const Scalar& value,
                      const Tensor& out) {
  TERN_CHECK(x.dtype() != kBool, NotImplementedError, "\"threshold_", x.device().type(),
             "\" not implemented for '", x.scalar_type(), '\'');
  const auto bound = [&](const Scalar& number) -> Scalar {
    return visit_dtype(x.dtype(), [&](auto tag) -> Scalar {
      const auto converted = number.to<typename decltype(tag)::type>();  // may throw
      return x.is_floating_point() ? number : Scalar(static_cast<std::int64_t>(converted));
    });
  };
  return run_elementwise({"threshold", ElementwiseOp::threshold, x.dtype()},
                         {x, bound(threshold), bound(value)}, out);
}

Tensor threshold_op(const char* node, const Tensor& input, const Scalar& threshold,
                    const Scalar& value) {
  Tensor out = threshold_into(input, threshold, value, {});
  if (!needs_grad(input)) return out;
  return record(
      node, out,
      wrt(
          input,
          [threshold](const Tensor& g, const Tensor& x) { return where(x <= threshold, 0, g); },
          input));
}

Tensor leaky_relu_op(const char* node, const Tensor& input, const Scalar& negative_slope) {
  return activate(
      {"leaky_relu", node, "leaky_relu", ElementwiseOp::leaky_relu}, input,
      [negative_slope](const Tensor& g, const Tensor& x) {
        return detail::leaky_relu_backward(g, x, negative_slope);
      },
      negative_slope);
}

struct Bounds {
  Scalar low, high;
};

Bounds hardtanh_bounds(const Tensor& x, const Scalar& low, const Scalar& high) {
  TERN_CHECK(x.dtype() != kBool, NotImplementedError,
             "Bool inputs not supported for hardtanh, got ", x.scalar_type());
  // Python's functional asks for this; the op of libtorch does not.
  TERN_CHECK(detail::as_libtorch || !(low.toDouble() > high.toDouble()), Error,
             "min_val cannot be greater than max_val, got ", low, " and ", high);
  if (x.is_floating_point()) return {low, high};
  return {low.toLong(), high.toLong()};
}

Tensor hardtanh_op(const Tensor& input, const Scalar& low, const Scalar& high) {
  const Bounds bounds = hardtanh_bounds(input, low, high);
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = clamp(input, bounds.low, bounds.high);
  }
  if (!needs_grad(input)) return out;
  return record("HardtanhBackward0", out,
                wrt(
                    input,
                    [low, high](const Tensor& g, const Tensor& x) {
                      return where(logical_or(x <= low, x >= high), 0, g);
                    },
                    input));
}

Tensor& hardtanh_inplace(Tensor& input, const Scalar& low, const Scalar& high) {
  const auto write = [&](const Tensor& x, const Tensor& out) {
    if (x.is_floating_point()) {
      const Bounds bounds = hardtanh_bounds(x, low, high);
      return run_elementwise({"hardtanh", ElementwiseOp::clamp, x.dtype()},
                             {x, bounds.low, bounds.high}, out);
    }
    // Bounds beyond the range of an integral dtype need clamp().
    detail::copy_elements(out, hardtanh_op(x, low, high));
    return out;
  };
  return detail::inplace_form(Old::kSaved, input, write,
                              [&](const Tensor& x) { return hardtanh_op(x, low, high); });
}

/// The factors of elu: of e^(exponent x) - 1 for negative x, and of positive x.
struct EluFactors {
  double negative, positive, exponent;
};

EluFactors elu_factors(const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  return {alpha.toDouble() * scale.toDouble(), scale.toDouble(), input_scale.toDouble()};
}

EluFactors celu_factors(const Scalar& alpha) {
  TERN_CHECK(alpha.toDouble() != 0, Error, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return elu_factors(alpha, 1, 1 / alpha.toDouble());
}

Tensor elu_into(const Tensor& x, const EluFactors& factors, const Tensor& out) {
  check_floating("elu", x);
  return run_elementwise(
      {"elu", ElementwiseOp::elu, x.dtype(), /*compares=*/false, factors.exponent},
      {x, Scalar(factors.negative), Scalar(factors.positive)}, out);
}

// The names of in-place forms that have gradients of their own in PyTorch end in 1.
Tensor elu_op(const char* node, const Tensor& input, const EluFactors& factors) {
  Tensor out = elu_into(input, factors, {});
  if (!needs_grad(input)) return out;
  return record(node, out,
                wrt(
                    input,
                    [factors](const Tensor& g, const Tensor& x) {
                      // Limited, because an infinite exponential has no second derivative.
                      const Tensor slope = exp(clamp_max(x, 0) * factors.exponent);
                      return where(x <= 0, g * (factors.negative * factors.exponent) * slope,
                                   g * factors.positive);
                    },
                    input));
}

Tensor& elu_inplace(const char* node, Tensor& input, const EluFactors& factors) {
  return detail::inplace_form(
      Old::kSaved, input,
      [&](const Tensor& x, const Tensor& out) { return elu_into(x, factors, out); },
      [&](const Tensor& x) { return elu_op(node, x, factors); });
}

bool is_tanh(std::string_view approximate) {
  TERN_CHECK(approximate == "none" || approximate == "tanh", Error,
             "approximate argument must be either none or tanh, got \"", approximate, '"');
  return approximate == "tanh";
}

ElementwiseOp gelu_kernel(bool tanh_form) {
  return tanh_form ? ElementwiseOp::gelu_tanh : ElementwiseOp::gelu;
}

Tensor mish_gradient(const Tensor& g, const Tensor& x) {
  const Tensor s = sigmoid(x), t = tanh(softplus(x));
  return g * (t + x * s * (1 - square(t)));
}

// The negation of a condition that NaN does not fulfil: NaN keeps its gradient.
Tensor shrink_gradient(const Tensor& g, const Tensor& x, const Scalar& lambd) {
  return where(abs(x) <= lambd, 0, g);
}

}  // namespace

Tensor softplus(const Tensor& input, const Scalar& beta, const Scalar& threshold) {
  TERN_OP("softplus", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, softplus, input, beta, threshold);
  check_floating("softplus", input);
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor x = input.to(kernels::math_dtype(input.dtype()));  // exp() overflows in float16
    const Tensor scaled = x * beta;
    out = where(scaled > threshold, x, log1p(exp(scaled)) / beta).to(input.dtype());
  }
  if (!needs_grad(input)) return out;
  return record("SoftplusBackward0", out,
                wrt(
                    input,
                    [beta, threshold](const Tensor& g, const Tensor& x) {
                      const Tensor scaled = x * beta;
                      return where(scaled > threshold, g, g * sigmoid(scaled));
                    },
                    input));
}

Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value) {
  TERN_OP("threshold", input);
  return threshold_op("ThresholdBackward0", input, threshold, value);
}

Tensor& threshold_(Tensor& input, const Scalar& threshold, const Scalar& value) {
  TERN_OP("threshold_", input);
  return detail::inplace_form(
      Old::kSaved, input,
      [&](const Tensor& x, const Tensor& out) { return threshold_into(x, threshold, value, out); },
      [&](const Tensor& x) { return threshold_op("ThresholdBackward1", x, threshold, value); });
}

Tensor hardtanh(const Tensor& input, const Scalar& min_val, const Scalar& max_val) {
  TERN_OP("hardtanh", input);
  return hardtanh_op(input, min_val, max_val);
}

Tensor& hardtanh_(Tensor& input, const Scalar& min_val, const Scalar& max_val) {
  TERN_OP("hardtanh_", input);
  return hardtanh_inplace(input, min_val, max_val);
}

Tensor relu6(const Tensor& input) {
  TERN_OP("relu6", input);
  return hardtanh_op(input, 0, 6);
}

Tensor& relu6_(Tensor& input) {
  TERN_OP("relu6_", input);
  return hardtanh_inplace(input, 0, 6);
}

// Defines an activation without parameters and its in-place form.
#define TERN_ACTIVATION(name, node, gradient)                                    \
  Tensor name(const Tensor& input) {                                             \
    TERN_OP(#name, input);                                                       \
    return activate({#name, node, #name, ElementwiseOp::name}, input, gradient); \
  }                                                                              \
  Tensor& name##_(Tensor& input) {                                               \
    TERN_OP(#name "_", input);                                                   \
    check_floating(#name, input);                                                \
    const auto write = [](const Tensor& x, const Tensor& out) {                  \
      return run_unary(#name "_", ElementwiseOp::name, x, out);                  \
    };                                                                           \
    return detail::inplace_form(Old::kSaved, input, write, name);                \
  }
// clang-format off
TERN_ACTIVATION(hardsigmoid, "HardsigmoidBackward0", detail::hardsigmoid_backward)
TERN_ACTIVATION(hardswish,   "HardswishBackward0",   detail::hardswish_backward)
TERN_ACTIVATION(silu,        "SiluBackward0",        detail::silu_backward)
TERN_ACTIVATION(mish,        "MishBackward0",        mish_gradient)
// clang-format on
#undef TERN_ACTIVATION

Tensor hardshrink(const Tensor& self, const Scalar& lambd) {
  TERN_OP("hardshrink", self);
  return activate(
      {"hardshrink", "HardshrinkBackward0", "hardshrink", ElementwiseOp::hardshrink}, self,
      [lambd](const Tensor& g, const Tensor& x) { return shrink_gradient(g, x, lambd); }, lambd);
}

Tensor softshrink(const Tensor& input, const Scalar& lambd) {
  TERN_OP("softshrink", input);
  TERN_CHECK(lambd.toDouble() >= 0, Error, "lambda must not be negative, but found ", lambd);
  return activate(
      {"softshrink", "SoftshrinkBackward0", "softshrink", ElementwiseOp::softshrink}, input,
      [lambd](const Tensor& g, const Tensor& x) { return shrink_gradient(g, x, lambd); }, lambd);
}

Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope) {
  TERN_OP("leaky_relu", input);
  return leaky_relu_op("LeakyReluBackward0", input, negative_slope);
}

Tensor& leaky_relu_(Tensor& input, const Scalar& negative_slope) {
  TERN_OP("leaky_relu_", input);
  check_floating("leaky_relu", input);
  return detail::inplace_form(
      Old::kSaved, input,
      [&](const Tensor& x, const Tensor& out) {
        return run_unary("leaky_relu_", ElementwiseOp::leaky_relu, x, out, negative_slope);
      },
      [&](const Tensor& x) { return leaky_relu_op("LeakyReluBackward1", x, negative_slope); });
}

Tensor elu(const Tensor& input, const Scalar& alpha, const Scalar& scale,
           const Scalar& input_scale) {
  TERN_OP("elu", input);
  return elu_op("EluBackward0", input, elu_factors(alpha, scale, input_scale));
}

Tensor& elu_(Tensor& input, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  TERN_OP("elu_", input);
  return elu_inplace("EluBackward1", input, elu_factors(alpha, scale, input_scale));
}

Tensor selu(const Tensor& input) {
  TERN_OP("selu", input);
  return elu_op("EluBackward0", input, elu_factors(kSeluAlpha, kSeluScale, 1));
}

Tensor& selu_(Tensor& input) {
  TERN_OP("selu_", input);
  return elu_inplace("EluBackward1", input, elu_factors(kSeluAlpha, kSeluScale, 1));
}

Tensor celu(const Tensor& input, const Scalar& alpha) {
  TERN_OP("celu", input);
  return elu_op("CeluBackward0", input, celu_factors(alpha));
}

Tensor& celu_(Tensor& input, const Scalar& alpha) {
  TERN_OP("celu_", input);
  return elu_inplace("CeluBackward1", input, celu_factors(alpha));
}

Tensor gelu(const Tensor& input, std::string_view approximate) {
  TERN_OP("gelu", input);
  const bool tanh_form = is_tanh(approximate);
  return activate({"gelu", "GeluBackward0", "GeluKernelImpl", gelu_kernel(tanh_form)}, input,
                  tanh_form ? detail::gelu_tanh_backward : detail::gelu_backward);
}

Tensor& gelu_(Tensor& input, std::string_view approximate) {
  TERN_OP("gelu_", input);
  const bool tanh_form = is_tanh(approximate);
  check_floating("GeluKernelImpl", input);
  return detail::inplace_form(
      Old::kSaved, input,
      [&](const Tensor& x, const Tensor& out) {
        return run_unary("gelu_", gelu_kernel(tanh_form), x, out);
      },
      [&](const Tensor& x) { return gelu(x, approximate); });
}

Tensor log_sigmoid(const Tensor& input) {
  TERN_OP("log_sigmoid", input);
  return activate({"log_sigmoid", "LogSigmoidBackward0", "log_sigmoid", ElementwiseOp::log_sigmoid},
                  input, [](const Tensor& g, const Tensor& x) { return g * sigmoid(-x); });
}

}  // namespace tern
