#pragma once

#include <utility>

#include <tern/core/ops/pointwise.h>
#include <tern/core/ops/reduce.h>
#include <tern/nn/options/activation.h>

namespace tern::nn::functional {

/// max(x, 0).
inline Tensor relu(Tensor input, const ReLUFuncOptions& options = {}) {
  if (options.inplace()) return input.relu_();
  return tern::relu(std::move(input));
}
/// 1 / (1 + e^-x).
inline Tensor sigmoid(Tensor input) { return tern::sigmoid(std::move(input)); }
/// Hyperbolic tangent.
inline Tensor tanh(Tensor input) { return tern::tanh(std::move(input)); }
/// e^x / sum(e^x) along a dimension.
inline Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return tern::softmax(input, options.dim());
}
/// log(softmax(x)), computed without overflow.
inline Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return tern::log_softmax(input, options.dim());
}

}  // namespace tern::nn::functional
