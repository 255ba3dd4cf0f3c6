#pragma once

#include <cstdint>
#include <utility>

#include <tern/nn/containers/module_list.h>
#include <tern/nn/modules/attention/transformer_layers.h>

namespace tern::nn {

/// Options of TransformerEncoder.
struct TransformerEncoderOptions {
  /// Sets the layer that is copied and the number of copies.
  TransformerEncoderOptions(TransformerEncoderLayer encoder_layer, StrictInt num_layers)
      : encoder_layer_(std::move(encoder_layer)), num_layers_(num_layers) {}
  TransformerEncoderOptions(const TransformerEncoderLayerOptions& encoder_layer_options,
                            StrictInt num_layers)
      : encoder_layer_(TransformerEncoderLayer(encoder_layer_options)), num_layers_(num_layers) {}
  /// The layer of which each layer of the encoder is a copy.
  TERN_ARG(TransformerEncoderLayer, encoder_layer) = nullptr;
  /// The number of layers.
  TERN_ARG(std::int64_t, num_layers);
  /// A module of which a copy is applied to the result, or none.
  TERN_ARG(AnyModule, norm);
};

/// Options of TransformerDecoder.
struct TransformerDecoderOptions {
  /// Sets the layer that is copied and the number of copies.
  TransformerDecoderOptions(TransformerDecoderLayer decoder_layer, StrictInt num_layers)
      : decoder_layer_(std::move(decoder_layer)), num_layers_(num_layers) {}
  TransformerDecoderOptions(const TransformerDecoderLayerOptions& decoder_layer_options,
                            StrictInt num_layers)
      : decoder_layer_(TransformerDecoderLayer(decoder_layer_options)), num_layers_(num_layers) {}
  /// The layer of which each layer of the decoder is a copy.
  TERN_ARG(TransformerDecoderLayer, decoder_layer) = nullptr;
  /// The number of layers.
  TERN_ARG(std::int64_t, num_layers);
  /// A module of which a copy is applied to the result, or none.
  TERN_ARG(AnyModule, norm);
};

/// The encoder of a Transformer: equal copies of a layer, one after the other, and a last
/// normalisation. The copies draw no random numbers.
///
/// Shape: see TransformerEncoderLayer
/// Parameters: those of layers.0, layers.1, ... and norm
///
/// Example:
///   nn::TransformerEncoder encoder(nn::TransformerEncoderLayer(64, 8), 6);
class TERN_API TransformerEncoderImpl : public Cloneable<TransformerEncoderImpl> {
 public:
  /// Copies a layer.
  TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, StrictInt num_layers);
  /// Copies the layer of the options. Throws Error unless the number of layers is positive.
  explicit TransformerEncoderImpl(TransformerEncoderOptions options_);

  void reset() override;
  /// Returns the result of the last layer, normalised. All layers get the same masks.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {},
                 const Tensor& src_key_padding_mask = {}, bool is_causal = false);
  /// Returns the result for rows that follow those in the cache, with a causal mask: a decoder
  /// without memory generates with it, token by token. Layer i uses layer i of the cache. See
  /// MultiheadAttention::forward_with_cache().
  Tensor forward_with_cache(const Tensor& src, KVCache& cache,
                            const Tensor& src_key_padding_mask = {});

  /// The options given to the constructor.
  TransformerEncoderOptions options;
  /// The layers.
  ModuleList layers{nullptr};
  /// The last normalisation; empty without one.
  AnyModule norm;

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())},
                                {3, AnyValue(false)})
};
TERN_MODULE(TransformerEncoder);

/// The decoder of a Transformer: equal copies of a layer, one after the other, and a last
/// normalisation. The copies draw no random numbers.
///
/// Shape: see TransformerDecoderLayer
/// Parameters: those of layers.0, layers.1, ... and norm
class TERN_API TransformerDecoderImpl : public Cloneable<TransformerDecoderImpl> {
 public:
  /// Copies a layer.
  TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, StrictInt num_layers);
  /// Copies the layer of the options. Throws Error unless the number of layers is positive.
  explicit TransformerDecoderImpl(TransformerDecoderOptions options_);

  void reset() override;
  /// Returns the result of the last layer, normalised. All layers get the same memory and masks.
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}, bool tgt_is_causal = false,
                 bool memory_is_causal = false);
  /// Returns the result for rows that follow those in the cache, with a causal mask. Layer i uses
  /// layer i of the cache. See TransformerDecoderLayer::forward_with_cache().
  Tensor forward_with_cache(const Tensor& tgt, const Tensor& memory, KVCache& cache,
                            const Tensor& tgt_key_padding_mask = {},
                            const Tensor& memory_key_padding_mask = {});

  /// The options given to the constructor.
  TransformerDecoderOptions options;
  /// The layers.
  ModuleList layers{nullptr};
  /// The last normalisation; empty without one.
  AnyModule norm;

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                                {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())},
                                {6, AnyValue(false)}, {7, AnyValue(false)})
};
TERN_MODULE(TransformerDecoder);

}  // namespace tern::nn
