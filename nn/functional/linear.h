#pragma once

#include <tern/core/ops/linalg/matmul.h>
#include <tern/core/ops/linalg/products.h>

namespace tern::nn::functional {

/// Returns input x weight^T + bias; see tern::linear().
///
/// Shape: input [..., in], weight [out, in], bias [out] or undefined -> [..., out]
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return tern::linear(input, weight, bias);
}
/// Returns input1^T W_k input2 + bias_k for each matrix W_k of `weight`; see tern::bilinear().
///
/// Shape: input1 [..., in1], input2 [..., in2], weight [out, in1, in2], bias [out] or undefined ->
/// [..., out]
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const Tensor& bias = {}) {
  return tern::bilinear(input1, input2, weight, bias);
}

}  // namespace tern::nn::functional
