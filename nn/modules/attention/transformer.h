#pragma once

#include <cstdint>
#include <optional>

#include <tern/nn/modules/attention/transformer_coder.h>

namespace tern::nn {

/// Options of Transformer.
struct TransformerOptions {
  /// Leaves every option at its default.
  TransformerOptions() = default;
  /// Sets the size and the number of heads.
  TransformerOptions(StrictInt d_model, StrictInt nhead) : d_model_(d_model), nhead_(nhead) {}
  /// Sets also the numbers of layers.
  TransformerOptions(StrictInt d_model, StrictInt nhead, StrictInt num_encoder_layers,
                     StrictInt num_decoder_layers)
      : d_model_(d_model),
        nhead_(nhead),
        num_encoder_layers_(num_encoder_layers),
        num_decoder_layers_(num_decoder_layers) {}
  /// The last size of inputs and result.
  TERN_ARG(std::int64_t, d_model) = 512;
  /// The number of heads of each attention.
  TERN_ARG(std::int64_t, nhead) = 8;
  /// The number of layers of the encoder.
  TERN_ARG(std::int64_t, num_encoder_layers) = 6;
  /// The number of layers of the decoder.
  TERN_ARG(std::int64_t, num_decoder_layers) = 6;
  /// The size between the two linear maps of each layer.
  TERN_ARG(std::int64_t, dim_feedforward) = 2048;
  /// The probability of all dropouts.
  TERN_ARG(double, dropout) = 0.1;
  /// The function between the two linear maps: kReLU, kGELU or any other.
  TERN_ARG(TransformerActivation, activation) = kReLU;
  /// A module that replaces the encoder; a copy is used. Its forward takes src, src_mask,
  /// src_key_padding_mask and, where src_is_causal is used, is_causal.
  TERN_ARG(AnyModule, custom_encoder);
  /// A module that replaces the decoder; a copy is used. Its forward takes tgt, memory, tgt_mask,
  /// memory_mask, tgt_key_padding_mask, memory_key_padding_mask and, where they are used,
  /// tgt_is_causal and memory_is_causal.
  TERN_ARG(AnyModule, custom_decoder);
  /// A number added to the variances.
  TERN_ARG(double, layer_norm_eps) = 1e-5;
  /// True: tensors are [batch, rows, size], not [rows, batch, size].
  TERN_ARG(bool, batch_first) = false;
  /// True: the input of each part of a layer is normalised, not its result.
  TERN_ARG(bool, norm_first) = false;
  /// False: no part has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// A Transformer (Vaswani et al., 2017): an encoder of the source and a decoder of the target,
/// which attends to the encoder's result.
///
/// Shape: src [S, B, d_model] and tgt [T, B, d_model], B first with batch_first, or without B; the
/// result has the shape of tgt
/// Parameters: those of encoder and decoder, each with a last LayerNorm; matrices start Xavier
/// uniform
///
/// Example:
///   nn::Transformer net(nn::TransformerOptions(64, 8, 2, 2).dim_feedforward(256));
///   auto y = net(src, tgt, Tensor(),
///   nn::TransformerImpl::generate_square_subsequent_mask(tgt.size(0)));
class TERN_API TransformerImpl : public Cloneable<TransformerImpl> {
 public:
  /// Makes the encoder and the decoder.
  explicit TransformerImpl(const TransformerOptions& options_ = {});

  void reset() override;
  /// Draws new numbers for all parameters with two or more dimensions.
  void reset_parameters();
  /// Returns the result of the decoder. The masks and hints are those of MultiheadAttention. Throws
  /// ShapeError unless src and tgt have d_model elements in a row and the same batch.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask = {},
                 const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                 const Tensor& src_key_padding_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}, bool src_is_causal = false,
                 bool tgt_is_causal = false, bool memory_is_causal = false);
  /// Returns the mask [sz, sz] with which each position attends to itself and those before it: 0,
  /// and -infinity above the diagonal. Throws Error for a negative size.
  static Tensor generate_square_subsequent_mask(StrictInt sz,
                                                const TensorOptions& mask_options = {});

  /// The options given to the constructor.
  TransformerOptions options;
  /// The encoder and the decoder.
  AnyModule encoder, decoder;

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())},
                                {4, AnyValue(Tensor())}, {5, AnyValue(Tensor())},
                                {6, AnyValue(Tensor())}, {7, AnyValue(Tensor())},
                                {8, AnyValue(false)}, {9, AnyValue(false)}, {10, AnyValue(false)})
};
TERN_MODULE(Transformer);

}  // namespace tern::nn
