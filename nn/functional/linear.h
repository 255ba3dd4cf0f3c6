#pragma once

#include <tern/core/ops/matmul.h>

namespace tern::nn::functional {

/// Returns input x weight^T + bias; see tern::linear().
///
/// Shape: input [..., in], weight [out, in], bias [out] or undefined -> [..., out]
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return tern::linear(input, weight, bias);
}

}  // namespace tern::nn::functional
