#pragma once

#include <tern/core/tensor/tensor.h>

// Attention on tensors that are checked: query [B, H, L, E], key [B, H / group, S, E], value [B, H
// / group, S, Ev], all of one floating dtype and device.

namespace tern::detail {

/// The numbers on which attention depends.
struct AttentionSettings {
  double scale = 1, keep_scale = 1;  // keep_scale: the factor of the weights that dropout leaves
  bool is_causal = false;
};

/// All that attention depends on beside query, key and value.
struct AttentionTerms : AttentionSettings {
  Tensor mask = {};  // [B, H, L, S], bool or floating; undefined: none
  Tensor keep = {};  // bool [B, H, L, S]: the weights that dropout leaves; undefined: all
};

/// Returns the result of the kernel, which has no empty operand, and records it.
Tensor run_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                     const AttentionTerms& terms);

/// Returns the same composed of other ops, which make the matrix of weights. Its gradient reaches
/// the mask, too.
Tensor compose_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                         const AttentionTerms& terms);

/// Sets the gradients of query, key and value for the gradient of the result, composed of other
/// ops, so that they can be differentiated again.
void compose_attention_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                const Tensor& value, const AttentionTerms& terms, Tensor* results);

}  // namespace tern::detail
