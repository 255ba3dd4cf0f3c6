#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/state.h>
#include <tern/nn/any_module.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/models/causal_lm.h>
#include <tern/nn/modules/attention/rotary_embedding.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/layer_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of Llama. The names are those of Hugging Face's config.json; the default sizes are those
/// of a small model, SmolLM2 with 135 million parameters, without grouped queries.
struct LlamaOptions {
  /// Reads the fields of a config.json whose "model_type" is "llama" (also SmolLM2), "mistral" or
  /// "qwen2". The dtype is the one that the file names, "dtype" or "torch_dtype".
  ///
  /// Throws: Error, which names the field and its value, for a missing size, a field of another
  /// kind, and a value that Llama does not support.
  ///
  /// Example:
  ///   auto options = models::LlamaOptions::from_config(load_json("SmolLM2/config.json"));
  TERN_API static LlamaOptions from_config(const State& config);

  /// The number of tokens.
  TERN_ARG(std::int64_t, vocab_size) = 49152;
  /// The size of the hidden states.
  TERN_ARG(std::int64_t, hidden_size) = 576;
  /// The size inside of the feed-forward part.
  TERN_ARG(std::int64_t, intermediate_size) = 1536;
  /// The number of layers.
  TERN_ARG(std::int64_t, num_hidden_layers) = 30;
  /// The number of heads of the queries.
  TERN_ARG(std::int64_t, num_attention_heads) = 9;
  /// The number of heads of keys and values; divides num_attention_heads, the default.
  TERN_ARG(std::optional<StrictInt>, num_key_value_heads);
  /// The size of a head. Default: hidden_size / num_attention_heads.
  TERN_ARG(std::optional<StrictInt>, head_dim);
  /// The largest number of rows.
  TERN_ARG(std::int64_t, max_position_embeddings) = 8192;
  /// A number added to the means of squares.
  TERN_ARG(double, rms_norm_eps) = 1e-5;
  /// The base of the wavelengths of rotary embedding.
  TERN_ARG(double, rope_theta) = 10000;
  /// Stretches the wavelengths as Llama 3 does, if given.
  TERN_ARG(std::optional<nn::RotaryScalingOptions>, rope_scaling);
  /// True: the maps to queries, keys and values have biases, as in Qwen2.
  TERN_ARG(bool, qkv_bias) = false;
  /// True: the map after attention has a bias.
  TERN_ARG(bool, output_bias) = false;
  /// True: the maps of the feed-forward part have biases.
  TERN_ARG(bool, mlp_bias) = false;
  /// The number of rows that a row attends to, itself included, as in Mistral. Default: all.
  TERN_ARG(std::optional<StrictInt>, sliding_window);
  /// The first layer with a sliding window.
  TERN_ARG(std::int64_t, first_window_layer) = 0;
  /// The probability that a weight of attention becomes 0 in training.
  TERN_ARG(double, attention_dropout) = 0;
  /// The token whose row of the embedding starts as zeros and gets no gradient, if given.
  TERN_ARG(std::optional<StrictInt>, pad_token_id);
  /// True: the head has the weight of the embedding.
  TERN_ARG(bool, tie_word_embeddings) = false;
  /// The standard deviation of the initial weights.
  TERN_ARG(double, initializer_range) = 0.02;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Llama without its head: from token ids to hidden states.
///
/// Shape: int64 [B, T] -> [B, T, hidden_size]
class TERN_API LlamaModelImpl : public nn::Cloneable<LlamaModelImpl> {
 public:
  /// Makes the layers. Throws Error for sizes that are not positive, ShapeError unless the numbers
  /// of heads divide the sizes.
  explicit LlamaModelImpl(const LlamaOptions& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the hidden states after the last norm. With a cache, the rows follow those in it; see
  /// CausalLM::next_token_logits(). Without `attention_mask` no row is padding; see Llama.
  Tensor forward(const Tensor& input_ids, const Tensor& attention_mask = {},
                 nn::KVCache* cache = nullptr);

  /// The options given to the constructor.
  LlamaOptions options;
  /// The table of the tokens.
  nn::Embedding embed_tokens{nullptr};
  /// The layers.
  nn::ModuleList layers{nullptr};
  /// The last norm.
  nn::RMSNorm norm{nullptr};
  /// Rotates queries and keys; has no tensors.
  nn::RotaryEmbedding rotary_emb{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(Tensor())},
                                {2, nn::AnyValue(static_cast<nn::KVCache*>(nullptr))})
};
TERN_MODULE(LlamaModel);

/// Llama (Touvron et al., 2023) with Hugging Face's keys, those of LlamaForCausalLM; by its options
/// also SmolLM2, Mistral and Qwen2. Queries can share heads of keys and values (grouped queries),
/// positions are rotary with Llama 3's scaling, and the head can be tied to the embedding.
///
/// Rows of padding, where `attention_mask` is false or 0, may lie at the left or at the right. A
/// sample's first token that is not padding has position 0; the results of padding have no meaning.
///
/// load_state_dict() takes files of the base model, too, whose keys lack "model.", ignores the
/// buffers of old files, and needs no lm_head.weight if the head is tied. state_dict() then has
/// none, like the files of Hugging Face. The state of a module that contains the model has the key,
/// because it is the state of its registered modules.
///
/// Shape: int64 [B, T] -> logits [B, T, vocab_size]
///
/// Example:
///   models::Llama net(models::LlamaOptions::from_config(load_json("SmolLM2/config.json")));
///   tern::load(net, "SmolLM2");  // the folder with model.safetensors
///   net->eval();
class TERN_API LlamaImpl : public nn::Cloneable<LlamaImpl>, public CausalLM {
 public:
  /// Makes the layers, with normally distributed weights. Throws as LlamaModel.
  explicit LlamaImpl(const LlamaOptions& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the logits of the token after each row.
  ///
  /// Throws: IndexError for a token out of range; ShapeError for other sizes, and for more than
  /// max_position_embeddings rows.
  Tensor forward(const Tensor& input_ids, const Tensor& attention_mask = {});

  Tensor next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                           const Tensor& attention_mask = {}) override;
  nn::KVCache make_cache(std::int64_t max_length) const override;
  std::int64_t vocab_size() const override { return options.vocab_size(); }
  std::int64_t context_length() const override { return options.max_position_embeddings(); }
  nn::Module& module() override { return *this; }

  /// Returns the state that a file has; see above.
  State state_dict() const;
  /// Copies the state of a file into this module; see above and Module::load_state_dict().
  nn::IncompatibleKeys load_state_dict(const State& state, const nn::LoadOptions& options_);
  nn::IncompatibleKeys load_state_dict(const State& state, StrictBool strict = true) {
    return load_state_dict(state, nn::LoadOptions{.strict = strict});
  }

  /// The options given to the constructor.
  LlamaOptions options;
  /// The model without the head.
  LlamaModel model{nullptr};
  /// The map to the logits, without bias.
  nn::Linear lm_head{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(Tensor())})
};
TERN_MODULE(Llama);

}  // namespace tern::models
