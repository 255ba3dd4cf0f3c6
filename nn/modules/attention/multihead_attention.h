#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include <tern/core/ops/nn/attention.h>
#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/attention/kv_cache.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of MultiheadAttention.
struct MultiheadAttentionOptions {
  /// Sets embed_dim, kdim and vdim to one size, and the number of heads.
  MultiheadAttentionOptions(StrictInt embed_dim, StrictInt num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
  /// The last size of query and result.
  TERN_ARG(std::int64_t, embed_dim);
  /// The number of heads; divides embed_dim.
  TERN_ARG(std::int64_t, num_heads);
  /// The probability that an attention weight becomes 0 in training.
  TERN_ARG(double, dropout) = 0;
  /// True: the projections have biases.
  TERN_ARG(bool, bias) = true;
  /// True: a learned row is appended to the projected keys and values.
  TERN_ARG(bool, add_bias_kv) = false;
  /// True: a row of zeros is appended to the projected keys and values.
  TERN_ARG(bool, add_zero_attn) = false;
  /// The last size of the key. Default: embed_dim.
  TERN_ARG(std::int64_t, kdim);
  /// The last size of the value. Default: embed_dim.
  TERN_ARG(std::int64_t, vdim);
  /// True: tensors are [batch, rows, size], not [rows, batch, size].
  TERN_ARG(bool, batch_first) = false;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

namespace functional {

// The fields have the order of PyTorch's arguments.
/// Options of nn::functional::multi_head_attention_forward.
struct MultiheadAttentionForwardFuncOptions {  // NOLINT(clang-analyzer-optin.performance.Padding)
  /// Sets what has no default.
  MultiheadAttentionForwardFuncOptions(StrictInt embed_dim_to_check, StrictInt num_heads,
                                       Tensor in_proj_weight, Tensor in_proj_bias, Tensor bias_k,
                                       Tensor bias_v, StrictBool add_zero_attn, double dropout_p,
                                       Tensor out_proj_weight, Tensor out_proj_bias)
      : embed_dim_to_check_(embed_dim_to_check),
        num_heads_(num_heads),
        in_proj_weight_(std::move(in_proj_weight)),
        in_proj_bias_(std::move(in_proj_bias)),
        bias_k_(std::move(bias_k)),
        bias_v_(std::move(bias_v)),
        add_zero_attn_(add_zero_attn),
        dropout_p_(dropout_p),
        out_proj_weight_(std::move(out_proj_weight)),
        out_proj_bias_(std::move(out_proj_bias)) {}
  /// The last size that the query must have.
  TERN_ARG(std::int64_t, embed_dim_to_check);
  /// The number of heads; divides the size of the query.
  TERN_ARG(std::int64_t, num_heads);
  /// The weights of query, key and value, [3 E, E]; undefined with use_separate_proj_weight.
  TERN_ARG(Tensor, in_proj_weight);
  /// The biases of query, key and value, [3 E], or undefined.
  TERN_ARG(Tensor, in_proj_bias);
  /// A row that is appended to the projected keys, [1, 1, E], or undefined.
  TERN_ARG(Tensor, bias_k);
  /// A row that is appended to the projected values, [1, 1, E], or undefined.
  TERN_ARG(Tensor, bias_v);
  /// True: a row of zeros is appended to the projected keys and values.
  TERN_ARG(bool, add_zero_attn);
  /// The probability that an attention weight becomes 0 in training.
  TERN_ARG(double, dropout_p);
  /// The weight of the result, [E, E].
  TERN_ARG(Tensor, out_proj_weight);
  /// The bias of the result, [E], or undefined.
  TERN_ARG(Tensor, out_proj_bias);
  /// False: no dropout.
  TERN_ARG(bool, training) = true;
  /// True (or another mask) forbids keys of a sample, [B, S]; [S] without a batch.
  TERN_ARG(Tensor, key_padding_mask);
  /// False: the second result is undefined, and the matrix of weights is never made.
  TERN_ARG(bool, need_weights) = true;
  /// True forbids a key for a query; a floating mask is added to the scores. [L, S], or [B *
  /// num_heads, L, S].
  TERN_ARG(Tensor, attn_mask);
  /// True: q_proj_weight, k_proj_weight and v_proj_weight replace in_proj_weight.
  TERN_ARG(bool, use_separate_proj_weight) = false;
  /// The weight of the query, [E, E].
  TERN_ARG(Tensor, q_proj_weight);
  /// The weight of the key, [E, kdim].
  TERN_ARG(Tensor, k_proj_weight);
  /// The weight of the value, [E, vdim].
  TERN_ARG(Tensor, v_proj_weight);
  /// The keys to use in place of the projected ones, [B * num_heads, S, E / num_heads].
  TERN_ARG(Tensor, static_k);
  /// The values to use in place of the projected ones, [B * num_heads, S, E / num_heads].
  TERN_ARG(Tensor, static_v);
  /// True: the returned weights are the mean of those of the heads.
  TERN_ARG(bool, average_attn_weights) = true;
  /// True: attn_mask forbids the keys after each query. Without weights and key_padding_mask its
  /// elements are then not read.
  TERN_ARG(bool, is_causal) = false;
  /// True: tensors are [batch, rows, size], not [rows, batch, size].
  TERN_ARG(bool, batch_first) = false;
  /// Holds keys and values of earlier calls, to which those of this call are appended; masks are
  /// for all of them. `is_causal` needs no attn_mask then: the last query has the position of the
  /// last key.
  TERN_ARG(std::optional<std::reference_wrapper<KVCache>>, cache);
  /// The layer of the cache.
  TERN_ARG(std::int64_t, cache_layer) = 0;
};

/// Returns softmax(scale * query key^T + attn_mask) value; see
/// tern::scaled_dot_product_attention(). A bool mask is true where a query may attend to a key.
///
/// Shape: query [..., L, E], key [..., S, E], value [..., S, Ev] -> [..., L, Ev]
inline Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                           const Tensor& value,
                                           const std::optional<Tensor>& attn_mask = std::nullopt,
                                           double dropout_p = 0, StrictBool is_causal = false,
                                           std::optional<double> scale = std::nullopt,
                                           StrictBool enable_gqa = false) {
  return tern::scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal,
                                            scale, enable_gqa);
}
/// Computes the attention of several heads; see MultiheadAttention. Returns the result and the
/// weights, which are undefined unless needed.
///
/// Throws: ShapeError, DTypeError and Error when the arguments do not fit.
TERN_API std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardFuncOptions& options);

}  // namespace functional

/// Attention of several heads (Vaswani et al., 2017): projects query, key and value, computes
/// attention for each part of embed_dim / num_heads elements, and projects the joined results.
///
/// Masks are true where attention is forbidden, unlike the mask of scaled_dot_product_attention();
/// floating masks are added to the scores. A query that may attend to no key has the result NaN if
/// weights are needed, and the output bias otherwise.
///
/// Shape: query [L, B, embed_dim], key [S, B, kdim], value [S, B, vdim] -> [L, B, embed_dim] and
/// weights [B, L, S]; without B for a query of two dimensions; B first with batch_first
/// Parameters: in_proj_weight [3 embed_dim, embed_dim], or q_proj_weight, k_proj_weight and
/// v_proj_weight [embed_dim, ...] if kdim or vdim differ from embed_dim; in_proj_bias; bias_k and
/// bias_v [1, 1, embed_dim], if add_bias_kv; the Linear out_proj
///
/// Example:
///   nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(64, 8).batch_first(true));
///   auto [y, weights] = attention(x, x, x);
class TERN_API MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  /// Makes the parameters.
  MultiheadAttentionImpl(StrictInt embed_dim, StrictInt num_heads);
  /// Makes the parameters. Throws Error unless the sizes are positive and num_heads divides
  /// embed_dim.
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Draws new weights for query, key and value, and sets biases to 0.
  void reset_parameters();
  /// Returns the result and the weights; see nn::functional::multi_head_attention_forward(). The
  /// masks are options of that function.
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {}, bool average_attn_weights = true,
                                     bool is_causal = false);
  /// Returns the causal self-attention of the rows that follow those in a layer of the cache, and
  /// appends their keys and values to it. The results are those of one call with all rows; see
  /// nn::KVCache. key_padding_mask is for the rows in the cache, too.
  Tensor forward_with_cache(const Tensor& query, KVCache& cache, std::int64_t layer,
                            const Tensor& key_padding_mask = {});

  /// The options given to the constructor.
  MultiheadAttentionOptions options;
  /// The joined weights and biases of query, key and value; undefined if disabled by the options.
  Tensor in_proj_weight, in_proj_bias;
  /// The rows appended to keys and values; undefined unless add_bias_kv.
  Tensor bias_k, bias_v;
  /// The weights of query, key and value if kdim or vdim differ from embed_dim, else undefined.
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;
  /// The projection of the result.
  Linear out_proj{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({3, AnyValue(Tensor())}, {4, AnyValue(true)},
                                {5, AnyValue(Tensor())}, {6, AnyValue(true)}, {7, AnyValue(false)})

  functional::MultiheadAttentionForwardFuncOptions call_options() const;
};
TERN_MODULE(MultiheadAttention);

}  // namespace tern::nn
