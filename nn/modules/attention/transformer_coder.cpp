#include <tern/nn/modules/attention/transformer_coder.h>

namespace tern::nn {
namespace {

/// Returns copies of a layer. `module` is the name of the stack, for errors.
template <class Layer>
ModuleList copies_of(const char* module, const Layer& layer, std::int64_t count) {
  TERN_CHECK(!layer.is_empty(), Error, module, ": the layer to copy is empty");
  TERN_CHECK(count > 0, Error, module, ": num_layers must be greater than 0, got ", count);
  using Impl = typename Layer::ContainedType;
  ModuleList layers;
  for (std::int64_t i = 0; i < count; ++i) {
    layers->push_back(std::dynamic_pointer_cast<Impl>(layer->clone()));
  }
  return layers;
}

}  // namespace

TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderLayer encoder_layer,
                                               StrictInt num_layers)
    : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderOptions options_)
    : options(std::move(options_)) {
  TransformerEncoderImpl::reset();
}

void TransformerEncoderImpl::reset() {
  layers = register_module(
      "layers", copies_of("nn::TransformerEncoder", options.encoder_layer(), options.num_layers()));
  if (options.norm().is_empty()) return;
  norm = options.norm().clone();
  register_module("norm", norm.ptr());
}

Tensor TransformerEncoderImpl::forward(const Tensor& src, const Tensor& src_mask,
                                       const Tensor& src_key_padding_mask, bool is_causal) {
  Tensor x = src;
  for (std::size_t i = 0; i < layers->size(); ++i) {
    TransformerEncoderLayer layer(layers->ptr<TransformerEncoderLayerImpl>(i));
    x = layer(x, src_mask, src_key_padding_mask, is_causal);
  }
  return norm.is_empty() ? x : norm.forward(x);
}

Tensor TransformerEncoderImpl::forward_with_cache(const Tensor& src, KVCache& cache,
                                                  const Tensor& src_key_padding_mask) {
  Tensor x = src;
  for (std::size_t i = 0; i < layers->size(); ++i) {
    x = layers->ptr<TransformerEncoderLayerImpl>(i)->forward_with_cache(
        x, cache, static_cast<std::int64_t>(i), src_key_padding_mask);
  }
  return norm.is_empty() ? x : norm.forward(x);
}

TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderLayer decoder_layer,
                                               StrictInt num_layers)
    : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderOptions options_)
    : options(std::move(options_)) {
  TransformerDecoderImpl::reset();
}

void TransformerDecoderImpl::reset() {
  layers = register_module(
      "layers", copies_of("nn::TransformerDecoder", options.decoder_layer(), options.num_layers()));
  if (options.norm().is_empty()) return;
  norm = options.norm().clone();
  register_module("norm", norm.ptr());
}

Tensor TransformerDecoderImpl::forward(const Tensor& tgt, const Tensor& memory,
                                       const Tensor& tgt_mask, const Tensor& memory_mask,
                                       const Tensor& tgt_key_padding_mask,
                                       const Tensor& memory_key_padding_mask, bool tgt_is_causal,
                                       bool memory_is_causal) {
  Tensor x = tgt;
  for (std::size_t i = 0; i < layers->size(); ++i) {
    TransformerDecoderLayer layer(layers->ptr<TransformerDecoderLayerImpl>(i));
    x = layer(x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
              tgt_is_causal, memory_is_causal);
  }
  return norm.is_empty() ? x : norm.forward(x);
}

Tensor TransformerDecoderImpl::forward_with_cache(const Tensor& tgt, const Tensor& memory,
                                                  KVCache& cache,
                                                  const Tensor& tgt_key_padding_mask,
                                                  const Tensor& memory_key_padding_mask) {
  Tensor x = tgt;
  for (std::size_t i = 0; i < layers->size(); ++i) {
    x = layers->ptr<TransformerDecoderLayerImpl>(i)->forward_with_cache(
        x, memory, cache, static_cast<std::int64_t>(i), tgt_key_padding_mask,
        memory_key_padding_mask);
  }
  return norm.is_empty() ? x : norm.forward(x);
}

}  // namespace tern::nn
