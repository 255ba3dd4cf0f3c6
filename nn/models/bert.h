#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include <tern/core/tensor/state.h>
#include <tern/nn/any_module.h>
#include <tern/nn/containers/module_dict.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of Bert. The defaults are those of BERT with 110 million parameters; the names are those
/// of Hugging Face's config.json.
struct BertOptions {
  /// Reads the fields of a config.json. The dtype is the one that the file names, "dtype" or
  /// "torch_dtype".
  ///
  /// Throws: Error, which names the field and its value, for a missing size, a field of another
  /// kind, and a value that Bert does not support.
  ///
  /// Example:
  ///   auto options = models::BertOptions::from_config(load_json("bert/config.json"));
  TERN_API static BertOptions from_config(const State& config);

  /// The number of tokens.
  TERN_ARG(std::int64_t, vocab_size) = 30522;
  /// The size of the hidden states.
  TERN_ARG(std::int64_t, hidden_size) = 768;
  /// The number of layers.
  TERN_ARG(std::int64_t, num_hidden_layers) = 12;
  /// The number of attention heads; divides hidden_size.
  TERN_ARG(std::int64_t, num_attention_heads) = 12;
  /// The size inside of the feed-forward part.
  TERN_ARG(std::int64_t, intermediate_size) = 3072;
  /// The activation of the feed-forward part: "gelu", "gelu_new" or "gelu_pytorch_tanh" (the tanh
  /// form), "relu" or "silu".
  TERN_ARG(std::string, hidden_act) = "gelu";
  /// The probability of dropout after the embedding and after each part of a layer.
  TERN_ARG(double, hidden_dropout_prob) = 0.1;
  /// The probability that a weight of attention becomes 0 in training.
  TERN_ARG(double, attention_probs_dropout_prob) = 0.1;
  /// The largest number of rows.
  TERN_ARG(std::int64_t, max_position_embeddings) = 512;
  /// The number of token types.
  TERN_ARG(std::int64_t, type_vocab_size) = 2;
  /// A number added to the variances.
  TERN_ARG(double, layer_norm_eps) = 1e-12;
  /// The token whose row of the embedding starts as zeros and gets no gradient; nullopt for none.
  TERN_ARG(std::optional<StrictInt>, pad_token_id) = 0;
  /// True: the model has a pooler. Files of some tasks have none.
  TERN_ARG(bool, add_pooling_layer) = true;
  /// The standard deviation of the initial weights.
  TERN_ARG(double, initializer_range) = 0.02;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// The encoder BERT (Devlin et al., 2018) with Hugging Face's keys, those of BertModel.
///
/// load_state_dict() also takes files of tasks, whose keys begin with "bert."; then it ignores the
/// other keys, those of the task's head. It ignores the buffers of old files and knows their names
/// gamma and beta of norms.
///
/// Shape: int64 [B, T] -> [B, T, hidden_size] and [B, hidden_size]
///
/// Example:
///   models::Bert net(models::BertOptions::from_config(load_json("bert/config.json")));
///   tern::load(net, "bert");  // the folder with model.safetensors
///   net->eval();
///   auto [hidden, pooled] = net(ids, attention_mask);
class TERN_API BertImpl : public nn::Cloneable<BertImpl> {
 public:
  /// Makes the layers, with BERT's initial weights. Throws Error for sizes that are not positive
  /// and an unknown activation, ShapeError unless num_attention_heads divides hidden_size.
  explicit BertImpl(const BertOptions& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the hidden states after the last layer, and the pooled output: tanh of a map of the
  /// first row; undefined without pooler. Keys where `attention_mask` [B, T] is false or 0 are
  /// padding. Without `token_type_ids` [B, T] all types are 0.
  ///
  /// Throws: IndexError for a token or a type out of range; ShapeError for other sizes, and for
  /// more than max_position_embeddings rows.
  std::tuple<Tensor, Tensor> forward(const Tensor& input_ids, const Tensor& attention_mask = {},
                                     const Tensor& token_type_ids = {});

  /// Copies the state of a file into this module; see above and Module::load_state_dict().
  nn::IncompatibleKeys load_state_dict(const State& state, const nn::LoadOptions& options_);
  nn::IncompatibleKeys load_state_dict(const State& state, StrictBool strict = true) {
    return load_state_dict(state, nn::LoadOptions{.strict = strict});
  }

  /// The options given to the constructor.
  BertOptions options;
  /// The tables word_embeddings, position_embeddings and token_type_embeddings, and LayerNorm.
  nn::ModuleDict embeddings{nullptr};
  /// The layers: a list `layer`.
  nn::ModuleDict encoder{nullptr};
  /// The linear map `dense` of the first row; null without pooler.
  nn::ModuleDict pooler{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(Tensor())}, {2, nn::AnyValue(Tensor())})
};
TERN_MODULE(Bert);

}  // namespace tern::models
