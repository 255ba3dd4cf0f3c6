#pragma once

#include <utility>

#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/random.h>
#include <tern/core/ops/reduce.h>
#include <tern/nn/options/activation.h>

namespace tern::nn::functional {

/// Returns max(x, 0), elementwise.
inline Tensor relu(Tensor input, const ReLUFuncOptions& options = {}) {
  if (options.inplace()) return input.relu_();
  return tern::relu(std::move(input));
}
/// Returns 1 / (1 + e^-x), elementwise.
inline Tensor sigmoid(Tensor input) { return tern::sigmoid(std::move(input)); }
/// Returns the hyperbolic tangent, elementwise.
inline Tensor tanh(Tensor input) { return tern::tanh(std::move(input)); }
/// Returns e^x / sum(e^x) along a dimension, computed without overflow.
inline Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return tern::softmax(input, options.dim());
}
/// Returns log(softmax(x)) along a dimension, computed without overflow.
inline Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return tern::log_softmax(input, options.dim());
}
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
