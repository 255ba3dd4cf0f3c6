#include <tern/nn/modules/attention/transformer_layers.h>

#include <string_view>

#include <tern/core/ops/elementwise/activation.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/core/ops/elementwise/unary.h>

namespace tern::nn {
namespace {

Tensor relu_of(const Tensor& input) { return tern::relu(input); }
Tensor gelu_of(const Tensor& input) { return tern::gelu(input); }

TransformerActivation::Function activation_named(std::string_view name) {
  TERN_CHECK(name == "relu" || name == "gelu", Error, "activation should be relu/gelu, not ", name);
  return name == "relu" ? relu_of : gelu_of;
}

/// Makes the parts of a layer from its options.
struct LayerParts {
  const TransformerEncoderLayerOptions& options;

  MultiheadAttention attention() const {
    return MultiheadAttention(MultiheadAttentionOptions(options.d_model(), options.nhead())
                                  .dropout(options.dropout())
                                  .bias(options.bias())
                                  .batch_first(options.batch_first())
                                  .device(options.device())
                                  .dtype(options.dtype()));
  }
  Linear linear(std::int64_t in, std::int64_t out) const {
    return Linear(LinearOptions(in, out)
                      .bias(options.bias())
                      .device(options.device())
                      .dtype(options.dtype()));
  }
  LayerNorm norm() const {
    return LayerNorm(LayerNormOptions(options.d_model())
                         .eps(options.layer_norm_eps())
                         .bias(options.bias())
                         .device(options.device())
                         .dtype(options.dtype()));
  }
  Dropout dropout() const { return Dropout(DropoutOptions(options.dropout())); }
};

/// The result of an attention without weights.
Tensor attention_result(const MultiheadAttention& attention, const Tensor& query,
                        const Tensor& memory, const Tensor& mask, const Tensor& padding,
                        bool is_causal) {
  return std::get<0>(attention(query, memory, memory, padding, /*need_weights=*/false, mask,
                               /*average_attn_weights=*/true, is_causal));
}

}  // namespace

TransformerActivation::TransformerActivation(init::NonlinearityType kind) : function_(relu_of) {
  TERN_CHECK(kind == kReLU, Error,
             "activation should be relu/gelu: give another one as a function of a tensor");
}
TransformerActivation::TransformerActivation(GELUActivation /*kind*/) : function_(gelu_of) {}
TransformerActivation::TransformerActivation(const char* name)
    : function_(activation_named(name)) {}
TransformerActivation::Function TransformerActivation::checked(Function function) {
  TERN_CHECK(function, Error, "activation is an empty function: give kReLU, kGELU or a function");
  return function;
}

TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(StrictInt d_model, StrictInt nhead)
    : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(
    const TransformerEncoderLayerOptions& options_)
    : options(options_) {
  TransformerEncoderLayerImpl::reset();
}

void TransformerEncoderLayerImpl::reset() {
  const LayerParts parts{options};
  const std::int64_t size = options.d_model(), wide = options.dim_feedforward();
  self_attn = register_module("self_attn", parts.attention());
  linear1 = register_module("linear1", parts.linear(size, wide));
  dropout = register_module("dropout", parts.dropout());
  linear2 = register_module("linear2", parts.linear(wide, size));
  norm1 = register_module("norm1", parts.norm());
  norm2 = register_module("norm2", parts.norm());
  dropout1 = register_module("dropout1", parts.dropout());
  dropout2 = register_module("dropout2", parts.dropout());
}

Tensor TransformerEncoderLayerImpl::feed_forward(const Tensor& x) {
  return dropout2(linear2(dropout(options.activation()(linear1(x)))));
}

template <class Attention>
Tensor TransformerEncoderLayerImpl::run(const Tensor& src, const Attention& attend) {
  if (options.norm_first()) {
    const Tensor x = src + dropout1(attend(norm1(src)));
    return x + feed_forward(norm2(x));
  }
  const Tensor x = norm1(src + dropout1(attend(src)));
  return norm2(x + feed_forward(x));
}

Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask, bool is_causal) {
  return run(src, [&](const Tensor& x) {
    return attention_result(self_attn, x, x, src_mask, src_key_padding_mask, is_causal);
  });
}

Tensor TransformerEncoderLayerImpl::forward_with_cache(const Tensor& src, KVCache& cache,
                                                       std::int64_t layer,
                                                       const Tensor& src_key_padding_mask) {
  return run(src, [&](const Tensor& x) {
    return self_attn->forward_with_cache(x, cache, layer, src_key_padding_mask);
  });
}

TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(StrictInt d_model, StrictInt nhead)
    : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(
    const TransformerDecoderLayerOptions& options_)
    : options(options_) {
  TransformerDecoderLayerImpl::reset();
}

void TransformerDecoderLayerImpl::reset() {
  const LayerParts parts{options};
  const std::int64_t size = options.d_model(), wide = options.dim_feedforward();
  self_attn = register_module("self_attn", parts.attention());
  multihead_attn = register_module("multihead_attn", parts.attention());
  linear1 = register_module("linear1", parts.linear(size, wide));
  dropout = register_module("dropout", parts.dropout());
  linear2 = register_module("linear2", parts.linear(wide, size));
  norm1 = register_module("norm1", parts.norm());
  norm2 = register_module("norm2", parts.norm());
  norm3 = register_module("norm3", parts.norm());
  dropout1 = register_module("dropout1", parts.dropout());
  dropout2 = register_module("dropout2", parts.dropout());
  dropout3 = register_module("dropout3", parts.dropout());
}

Tensor TransformerDecoderLayerImpl::feed_forward(const Tensor& x) {
  return dropout3(linear2(dropout(options.activation()(linear1(x)))));
}

template <class Attention, class MemoryAttention>
Tensor TransformerDecoderLayerImpl::run(const Tensor& tgt, const Attention& attend,
                                        const MemoryAttention& attend_memory) {
  if (options.norm_first()) {
    Tensor x = tgt + dropout1(attend(norm1(tgt)));
    x = x + dropout2(attend_memory(norm2(x)));
    return x + feed_forward(norm3(x));
  }
  Tensor x = norm1(tgt + dropout1(attend(tgt)));
  x = norm2(x + dropout2(attend_memory(x)));
  return norm3(x + feed_forward(x));
}

Tensor TransformerDecoderLayerImpl::forward(const Tensor& tgt, const Tensor& memory,
                                            const Tensor& tgt_mask, const Tensor& memory_mask,
                                            const Tensor& tgt_key_padding_mask,
                                            const Tensor& memory_key_padding_mask,
                                            bool tgt_is_causal, bool memory_is_causal) {
  return run(
      tgt,
      [&](const Tensor& x) {
        return attention_result(self_attn, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal);
      },
      [&](const Tensor& x) {
        return attention_result(multihead_attn, x, memory, memory_mask, memory_key_padding_mask,
                                memory_is_causal);
      });
}

Tensor TransformerDecoderLayerImpl::forward_with_cache(const Tensor& tgt, const Tensor& memory,
                                                       KVCache& cache, std::int64_t layer,
                                                       const Tensor& tgt_key_padding_mask,
                                                       const Tensor& memory_key_padding_mask) {
  return run(
      tgt,
      [&](const Tensor& x) {
        return self_attn->forward_with_cache(x, cache, layer, tgt_key_padding_mask);
      },
      [&](const Tensor& x) {
        return attention_result(multihead_attn, x, memory, {}, memory_key_padding_mask, false);
      });
}

}  // namespace tern::nn
