#pragma once

#include <utility>

#include <tern/core/ops/elementwise/activation.h>
#include <tern/core/ops/elementwise/gated_activation.h>

#include <tern/core/ops/create/sample.h>
#include <tern/core/ops/elementwise/unary.h>
#include <tern/core/ops/nn/softmax.h>
#include <tern/nn/options/activation.h>

namespace tern::nn::functional {

// The in-place forms, under Python's names.
using tern::celu_;
using tern::elu_;
using tern::hardtanh_;
using tern::leaky_relu_;
using tern::relu_;
using tern::rrelu_;
using tern::selu_;
using tern::threshold_;

/// Returns max(x, 0), elementwise.
inline Tensor relu(Tensor input, const ReLUFuncOptions& options = {}) {
  if (options.inplace()) return input.relu_();
  return tern::relu(std::move(input));
}
/// Returns 1 / (1 + e^-x), elementwise.
inline Tensor sigmoid(Tensor input) { return tern::sigmoid(std::move(input)); }
/// Returns the hyperbolic tangent, elementwise.
inline Tensor tanh(Tensor input) { return tern::tanh(std::move(input)); }
/// Returns min(max(x, 0), 6), elementwise.
inline Tensor relu6(Tensor input, const ReLU6FuncOptions& options = {}) {
  return options.inplace() ? tern::relu6_(input) : tern::relu6(input);
}
/// Returns x where x > 0, else negative_slope * x, elementwise.
inline Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {}) {
  return options.inplace() ? tern::leaky_relu_(input, options.negative_slope())
                           : tern::leaky_relu(input, options.negative_slope());
}
/// Returns x where x > 0, else alpha * (e^x - 1), elementwise.
inline Tensor elu(Tensor input, const ELUFuncOptions& options = {}) {
  return options.inplace() ? tern::elu_(input, options.alpha()) : tern::elu(input, options.alpha());
}
/// Returns tern::selu(), elementwise.
inline Tensor selu(Tensor input, const SELUFuncOptions& options = {}) {
  return options.inplace() ? tern::selu_(input) : tern::selu(input);
}
/// Returns x where x > 0, else alpha * (e^(x / alpha) - 1), elementwise.
inline Tensor celu(Tensor input, const CELUFuncOptions& options = {}) {
  return options.inplace() ? tern::celu_(input, options.alpha())
                           : tern::celu(input, options.alpha());
}
/// Returns x * sigmoid(x), elementwise.
inline Tensor silu(Tensor input, const SiLUFuncOptions& options = {}) {
  return options.inplace() ? tern::silu_(input) : tern::silu(input);
}
/// Returns x * tanh(log(1 + e^x)), elementwise.
inline Tensor mish(Tensor input, const MishFuncOptions& options = {}) {
  return options.inplace() ? tern::mish_(input) : tern::mish(input);
}
/// Returns relu6(x + 3) / 6, elementwise.
inline Tensor hardsigmoid(Tensor input, const HardsigmoidFuncOptions& options = {}) {
  return options.inplace() ? tern::hardsigmoid_(input) : tern::hardsigmoid(input);
}
/// Returns x * relu6(x + 3) / 6, elementwise.
inline Tensor hardswish(Tensor input, const HardswishFuncOptions& options = {}) {
  return options.inplace() ? tern::hardswish_(input) : tern::hardswish(input);
}
/// Returns x limited to [min_val, max_val], elementwise.
inline Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options = {}) {
  return options.inplace() ? tern::hardtanh_(input, options.min_val(), options.max_val())
                           : tern::hardtanh(input, options.min_val(), options.max_val());
}
/// Returns x where x > threshold, else value, elementwise.
inline Tensor threshold(Tensor input, const ThresholdFuncOptions& options) {
  return options.inplace() ? tern::threshold_(input, options.threshold(), options.value())
                           : tern::threshold(input, options.threshold(), options.value());
}
/// Returns x * P(X <= x) for a standard normal X, elementwise.
inline Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {}) {
  return tern::gelu(input, options.approximate());
}
/// Returns a * sigmoid(b), where a and b are the halves of the input along `dim`.
inline Tensor glu(const Tensor& input, const GLUFuncOptions& options = {}) {
  return tern::glu(input, options.dim());
}
/// Returns 0 where |x| <= lambda, else x, elementwise.
inline Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {}) {
  return tern::hardshrink(input, options.lambda());
}
/// Returns x moved towards 0 by lambda, and 0 where |x| <= lambda, elementwise.
inline Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {}) {
  return tern::softshrink(input, options.lambda());
}
/// Returns log(1 + e^(beta x)) / beta, elementwise.
inline Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {}) {
  return tern::softplus(input, options.beta(), options.threshold());
}
/// Returns log(sigmoid(x)), elementwise.
inline Tensor logsigmoid(const Tensor& input) { return tern::log_sigmoid(input); }
/// Returns x where x > 0, else weight * x; see tern::prelu().
inline Tensor prelu(const Tensor& input, const Tensor& weight) {
  return tern::prelu(input, weight);
}
/// Returns x / (1 + |x|), elementwise.
TERN_API Tensor softsign(const Tensor& input);
/// Returns x - tanh(x), elementwise.
TERN_API Tensor tanhshrink(const Tensor& input);
/// Returns e^x / sum(e^x) along a dimension, computed without overflow.
TERN_API Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
/// Returns softmax(-x) along a dimension.
TERN_API Tensor softmin(const Tensor& input, const SoftminFuncOptions& options);
/// Returns log(softmax(x)) along a dimension, computed without overflow.
TERN_API Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);
/// Returns softmax((x + noise) / tau) with Gumbel noise, a differentiable sample of a category
/// (Jang et al., 2017). Floating dtypes.
TERN_API Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {});
/// Returns the leaky ReLU with random slopes; see tern::rrelu.
inline Tensor rrelu(Tensor input, const RReLUFuncOptions& options = {}) {
  if (!options.inplace()) {
    return tern::rrelu(input, options.lower(), options.upper(), options.training());
  }
  return tern::rrelu_(input, options.lower(), options.upper(), options.training());
}

}  // namespace tern::nn::functional
