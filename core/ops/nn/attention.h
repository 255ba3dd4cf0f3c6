#pragma once

#include <optional>

#include <tern/core/tensor/tensor.h>

// Attention.

namespace tern {

/// Returns softmax(scale * query key^T + attn_mask) value (Vaswani et al., 2017), without making
/// the matrix of all scores: neither forward nor backward (Dao et al., 2022). Floating dtypes;
/// float16 and bfloat16 are computed in float32. The other dimensions broadcast.
///
/// attn_mask broadcasts to [..., L, S]. A bool mask is true where a query may attend to a key;
/// another mask is added to the scores and has the dtype of the query or float32. With `is_causal`
/// query i attends to the keys 0 to i, also if L and S differ. A query that may attend to no key
/// has the result 0 and the gradient 0.
///
/// dropout_p is the probability that a weight becomes 0; the others are divided by 1 - dropout_p.
/// It acts also in evaluation. The numbers are those that dropout() draws for the weights. The
/// default of `scale` is 1 / sqrt(E).
///
/// With `enable_gqa` (grouped queries; Ainslie et al., 2023) the heads, dimension -3, of key and
/// value may be fewer than those of the query, and divide them: query head h uses head h / (heads
/// of the query / heads of the key).
///
/// Shape: query [..., L, E], key [..., S, E], value [..., S, Ev] -> [..., L, Ev]
/// Throws: ShapeError and DTypeError when the arguments do not fit; Error for a mask together with
/// is_causal, and unless dropout_p lies in [0, 1].
///
/// Example:
///   auto y = scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);
TERN_API Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                             const Tensor& value,
                                             const std::optional<Tensor>& attn_mask = std::nullopt,
                                             double dropout_p = 0, StrictBool is_causal = false,
                                             std::optional<double> scale = std::nullopt,
                                             StrictBool enable_gqa = false);

}  // namespace tern
