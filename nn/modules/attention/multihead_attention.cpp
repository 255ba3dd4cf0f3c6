#include <tern/nn/modules/attention/multihead_attention.h>

#include <tern/core/ops/create/creation.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/init.h>

namespace tern::nn {

MultiheadAttentionImpl::MultiheadAttentionImpl(StrictInt embed_dim, StrictInt num_heads)
    : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& options_)
    : options(options_) {
  MultiheadAttentionImpl::reset();
}

void MultiheadAttentionImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::MultiheadAttention";
}

void MultiheadAttentionImpl::reset() {
  const std::int64_t size = options.embed_dim(), heads = options.num_heads();
  TERN_CHECK(size > 0 && heads > 0, ShapeError,
             "nn::MultiheadAttention: embed_dim and num_heads must be greater than 0, got "
             "embed_dim=",
             size, " and num_heads=", heads, " instead");
  TERN_CHECK(size % heads == 0, ShapeError,
             "nn::MultiheadAttention: embed_dim must be divisible by num_heads, got embed_dim=",
             size, " and num_heads=", heads);
  TERN_CHECK(options.dropout() >= 0 && options.dropout() <= 1, Error,
             "nn::MultiheadAttention: dropout probability has to be between 0 and 1, but got ",
             options.dropout());
  detail::check_size("nn::MultiheadAttention", "embed_dim", size);
  detail::check_size("nn::MultiheadAttention", "kdim", options.kdim());
  detail::check_size("nn::MultiheadAttention", "vdim", options.vdim());
  const TensorOptions like = detail::factory_options(options);
  const auto parameter = [&](bool wanted, IntArrayRef sizes) {
    return wanted ? empty(sizes, like) : Tensor();
  };
  const bool is_joined = options.kdim() == size && options.vdim() == size;
  bind_parameter("in_proj_weight", in_proj_weight, parameter(is_joined, {3 * size, size}));
  bind_parameter("q_proj_weight", q_proj_weight, parameter(!is_joined, {size, size}));
  bind_parameter("k_proj_weight", k_proj_weight, parameter(!is_joined, {size, options.kdim()}));
  bind_parameter("v_proj_weight", v_proj_weight, parameter(!is_joined, {size, options.vdim()}));
  bind_parameter("in_proj_bias", in_proj_bias, parameter(options.bias(), {3 * size}));
  bind_parameter("bias_k", bias_k, parameter(options.add_bias_kv(), {1, 1, size}));
  bind_parameter("bias_v", bias_v, parameter(options.add_bias_kv(), {1, 1, size}));
  out_proj = register_module("out_proj", Linear(LinearOptions(size, size)
                                                    .bias(options.bias())
                                                    .device(options.device())
                                                    .dtype(options.dtype())));
  reset_parameters();
}

void MultiheadAttentionImpl::reset_parameters() {
  for (const Tensor& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight}) {
    if (weight.defined()) init::xavier_uniform_(weight);
  }
  if (in_proj_bias.defined()) {
    init::zeros_(in_proj_bias);
    init::zeros_(out_proj->bias);
  }
  for (const Tensor& row : {bias_k, bias_v}) {
    if (row.defined()) init::xavier_normal_(row);
  }
}

/// Returns what every call of the module has in common.
functional::MultiheadAttentionForwardFuncOptions MultiheadAttentionImpl::call_options() const {
  return functional::MultiheadAttentionForwardFuncOptions(
             options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
             options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias)
      .training(is_training())
      .use_separate_proj_weight(q_proj_weight.defined())
      .q_proj_weight(q_proj_weight)
      .k_proj_weight(k_proj_weight)
      .v_proj_weight(v_proj_weight)
      .batch_first(options.batch_first());
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& key_padding_mask,
    bool need_weights, const Tensor& attn_mask, bool average_attn_weights, bool is_causal) {
  return functional::multi_head_attention_forward(query, key, value,
                                                  call_options()
                                                      .key_padding_mask(key_padding_mask)
                                                      .need_weights(need_weights)
                                                      .attn_mask(attn_mask)
                                                      .average_attn_weights(average_attn_weights)
                                                      .is_causal(is_causal));
}

Tensor MultiheadAttentionImpl::forward_with_cache(const Tensor& query, KVCache& cache,
                                                  std::int64_t layer,
                                                  const Tensor& key_padding_mask) {
  return std::get<0>(
      functional::multi_head_attention_forward(query, query, query,
                                               call_options()
                                                   .key_padding_mask(key_padding_mask)
                                                   .need_weights(false)
                                                   .is_causal(true)
                                                   .cache(cache)
                                                   .cache_layer(layer)));
}

}  // namespace tern::nn
