#pragma once

#include <tern/core/ops/matmul.h>

namespace tern::nn::functional {

/// input x weight^T + bias.
/// Shape: [..., in], [out, in], [out] or undefined -> [..., out].
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return tern::linear(input, weight, bias);
}

}  // namespace tern::nn::functional
