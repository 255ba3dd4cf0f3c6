#include "differential/layers/layer_case.h"

namespace tern::testing::differential {
namespace {

template <class Options>
Options with_layer_options(Options options, const LayerCase& c) {
  TERN_GIVEN(dim_feedforward, std::int64_t);
  TERN_GIVEN(dropout, double);
  TERN_GIVEN(layer_norm_eps, double);
  TERN_GIVEN(batch_first, bool);
  TERN_GIVEN(norm_first, bool);
  TERN_GIVEN(bias, bool);
  const std::string activation = c.options.value("activation", "");
  if (activation == "relu") options.activation(kReLU);
  if (activation == "gelu") options.activation(kGELU);
  if (activation == "tanh") options.activation([](const Tensor& x) { return x.tanh(); });
  return options.dtype(c.dtype);
}

nn::TransformerEncoderLayerOptions layer_options(const LayerCase& c) {
  return with_layer_options(nn::TransformerEncoderLayerOptions(c.size(0), c.size(1)), c);
}

/// Makes a stack of layers, and its last norm if the case has one.
template <class Options, class Layer>
Options stack_options(const LayerCase& c) {
  Options options(Layer(layer_options(c)), c.json.at("num_layers").get<std::int64_t>());
  if (c.json.at("norm").get<bool>()) {
    nn::LayerNormOptions norm({c.size(0)});
    norm.eps(c.options.value("layer_norm_eps", 1e-5)).bias(c.options.value("bias", true));
    options.norm(nn::AnyModule(nn::LayerNorm(norm.dtype(c.dtype))));
  }
  return options;
}

template <class Layer>
Network encoder_of(const Layer& layer) {
  return {layer.ptr(), [layer](const LayerCase& c) -> Tensors {
            return {layer->forward(c["src"], c["src_mask"], c["src_key_padding_mask"],
                                   c.flag("is_causal"))};
          }};
}

template <class Layer>
Network decoder_of(const Layer& layer) {
  return {layer.ptr(), [layer](const LayerCase& c) -> Tensors {
            return {layer->forward(c["tgt"], c["memory"], c["tgt_mask"], c["memory_mask"],
                                   c["tgt_key_padding_mask"], c["memory_key_padding_mask"],
                                   c.flag("tgt_is_causal"), c.flag("memory_is_causal"))};
          }};
}

Network whole_transformer(const LayerCase& c) {
  nn::TransformerOptions options(c.size(0), c.size(1), c.size(2), c.size(3));
  const nn::Transformer net(with_layer_options(options, c));
  return {net.ptr(), [net](const LayerCase& args) -> Tensors {
            return {net->forward(args["src"], args["tgt"], args["src_mask"], args["tgt_mask"],
                                 args["memory_mask"], args["src_key_padding_mask"],
                                 args["tgt_key_padding_mask"], args["memory_key_padding_mask"],
                                 args.flag("src_is_causal"), args.flag("tgt_is_causal"),
                                 args.flag("memory_is_causal"))};
          }};
}

}  // namespace

Network make_attention(const LayerCase& c) {
  if (c.json.at("layer") != "MultiheadAttention") return {};
  nn::MultiheadAttentionOptions options(c.size(0), c.size(1));
  TERN_GIVEN(dropout, double);
  TERN_GIVEN(bias, bool);
  TERN_GIVEN(add_bias_kv, bool);
  TERN_GIVEN(add_zero_attn, bool);
  TERN_GIVEN(kdim, std::int64_t);
  TERN_GIVEN(vdim, std::int64_t);
  TERN_GIVEN(batch_first, bool);
  const nn::MultiheadAttention net(options.dtype(c.dtype));
  return {net.ptr(), [net](const LayerCase& args) {
            return as_tensors(
                net->forward(args["query"], args["key"], args["value"], args["key_padding_mask"],
                             args.flag("need_weights", true), args["attn_mask"],
                             args.flag("average_attn_weights", true), args.flag("is_causal")));
          }};
}

Network make_transformer(const LayerCase& c) {
  using Encoder = nn::TransformerEncoderOptions;
  using Decoder = nn::TransformerDecoderOptions;
  const auto layer = c.json.at("layer").get<std::string>();
  if (layer == "TransformerEncoderLayer") {
    return encoder_of(nn::TransformerEncoderLayer(layer_options(c)));
  }
  if (layer == "TransformerDecoderLayer") {
    return decoder_of(nn::TransformerDecoderLayer(layer_options(c)));
  }
  if (layer == "TransformerEncoder") {
    return encoder_of(
        nn::TransformerEncoder(stack_options<Encoder, nn::TransformerEncoderLayer>(c)));
  }
  if (layer == "TransformerDecoder") {
    return decoder_of(
        nn::TransformerDecoder(stack_options<Decoder, nn::TransformerDecoderLayer>(c)));
  }
  if (layer == "Transformer") return whole_transformer(c);
  return {};
}

}  // namespace tern::testing::differential
