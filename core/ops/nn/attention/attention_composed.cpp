// Compiled for size.

#include <limits>

#include <tern/core/ops/nn/detail/attention.h>
#include <tern/core/ops/ops.h>

namespace tern::detail {
namespace {

// Half the digits of float16 would be lost in the sums.
Tensor widened(const Tensor& tensor) {
  return tensor.dtype() == kDouble ? tensor : tensor.to(kFloat);
}

// Repeats the heads of key or value for all heads of the query that share them.
Tensor repeat_heads(const Tensor& tensor, const Tensor& query) {
  if (query.size(1) == tensor.size(1)) return tensor;
  return tensor.repeat_interleave(query.size(1) / tensor.size(1), 1);
}

// Sums the gradients of the heads that share a head of `like`.
Tensor sum_heads(const Tensor& gradient, const Tensor& like) {
  const std::int64_t heads = like.size(1);
  if (gradient.size(1) == heads) return gradient;
  return gradient.unflatten(1, {heads, gradient.size(1) / heads}).sum(2);
}

// The weights before dropout. A query without any key has the weights 0.
Tensor attention_weights(const Tensor& scaled_query, const Tensor& key,
                         const AttentionTerms& terms) {
  constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  Tensor scores = matmul(scaled_query, key.transpose(-2, -1));
  if (terms.is_causal) {
    const TensorOptions flags = TensorOptions().dtype(kBool).device(scores.device());
    const Tensor future = ones({scores.size(-2), scores.size(-1)}, flags).triu(1);
    scores = scores.masked_fill(future, kForbidden);
  } else if (terms.mask.defined()) {
    scores = terms.mask.dtype() == kBool ? scores.masked_fill(terms.mask.logical_not(), kForbidden)
                                         : scores + terms.mask;
  }
  const Tensor hopeless = scores.detach().eq(kForbidden).all({-1}, true);
  return softmax(scores.masked_fill(hopeless, 0), -1).masked_fill(hopeless, 0);
}

// What dropout multiplies the weights with.
Tensor dropout_factors(const AttentionTerms& terms, ScalarType dtype) {
  return terms.keep.to(dtype) * terms.keep_scale;
}

}  // namespace

Tensor compose_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                         const AttentionTerms& terms) {
  const Tensor q = widened(query) * terms.scale;
  const Tensor k = repeat_heads(widened(key), q), v = repeat_heads(widened(value), q);
  Tensor weights = attention_weights(q, k, terms);
  if (terms.keep.defined()) weights = weights * dropout_factors(terms, weights.dtype());
  return matmul(weights, v).to(query.dtype());
}

void compose_attention_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                const Tensor& value, const AttentionTerms& terms, Tensor* results) {
  const Tensor g = widened(gradient), q = widened(query) * terms.scale;
  const Tensor k = repeat_heads(widened(key), q), v = repeat_heads(widened(value), q);
  const Tensor weights = attention_weights(q, k, terms);
  Tensor dropped = weights, slope = matmul(g, v.transpose(-2, -1));
  if (terms.keep.defined()) {
    const Tensor factors = dropout_factors(terms, weights.dtype());
    dropped = weights * factors;
    slope = slope * factors;
  }
  const Tensor of_scores = weights * (slope - (weights * slope).sum({-1}, true));
  results[0] = matmul(of_scores, k) * terms.scale;
  results[1] = sum_heads(matmul(of_scores.transpose(-2, -1), q), key);
  results[2] = sum_heads(matmul(dropped.transpose(-2, -1), g), value);
}

}  // namespace tern::detail
