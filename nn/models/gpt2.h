#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tern/core/tensor/state.h>
#include <tern/nn/any_module.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/models/causal_lm.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/layer_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

namespace tern::models {

/// Options of GPT2. The defaults are those of GPT-2 with 124 million parameters; the names are
/// those of Hugging Face's config.json.
struct GPT2Options {
  /// Reads the fields of a config.json. The dtype is the one that the file names, "dtype" or
  /// "torch_dtype".
  ///
  /// Throws: Error, which names the field and its value, for a missing size, a field of another
  /// kind, and a value that GPT2 does not support.
  ///
  /// Example:
  ///   auto options = models::GPT2Options::from_config(load_json("gpt2/config.json"));
  TERN_API static GPT2Options from_config(const State& config);

  /// The number of tokens.
  TERN_ARG(std::int64_t, vocab_size) = 50257;
  /// The largest number of rows.
  TERN_ARG(std::int64_t, n_positions) = 1024;
  /// The size of the hidden states.
  TERN_ARG(std::int64_t, n_embd) = 768;
  /// The number of layers.
  TERN_ARG(std::int64_t, n_layer) = 12;
  /// The number of attention heads; divides n_embd.
  TERN_ARG(std::int64_t, n_head) = 12;
  /// The size inside of the feed-forward part. Default: 4 * n_embd.
  TERN_ARG(std::optional<StrictInt>, n_inner);
  /// The activation of the feed-forward part: "gelu_new" or "gelu_pytorch_tanh" (the tanh form),
  /// "gelu", "relu" or "silu".
  TERN_ARG(std::string, activation_function) = "gelu_new";
  /// A number added to the variances.
  TERN_ARG(double, layer_norm_epsilon) = 1e-5;
  /// The probability of dropout after each part of a layer.
  TERN_ARG(double, resid_pdrop) = 0.1;
  /// The probability of dropout after the embedding.
  TERN_ARG(double, embd_pdrop) = 0.1;
  /// The probability that a weight of attention becomes 0 in training.
  TERN_ARG(double, attn_pdrop) = 0.1;
  /// True: scores are divided by the root of the size of a head.
  TERN_ARG(bool, scale_attn_weights) = true;
  /// True: scores of layer i, counted from 0, are divided by i + 1.
  TERN_ARG(bool, scale_attn_by_inverse_layer_idx) = false;
  /// True: the head has the weight of the embedding.
  TERN_ARG(bool, tie_word_embeddings) = true;
  /// The standard deviation of the initial weights.
  TERN_ARG(double, initializer_range) = 0.02;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// GPT-2 without its head: from token ids to hidden states.
///
/// Shape: int64 [B, T] -> [B, T, n_embd]
class TERN_API GPT2ModelImpl : public nn::Cloneable<GPT2ModelImpl> {
 public:
  /// Makes the layers. Throws Error for sizes that are not positive and an unknown activation,
  /// ShapeError unless n_head divides n_embd.
  explicit GPT2ModelImpl(const GPT2Options& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the hidden states after the last norm. With a cache, the rows follow those in it; see
  /// CausalLM::next_token_logits(). Without `attention_mask` no row is padding; see GPT2.
  Tensor forward(const Tensor& input_ids, const Tensor& attention_mask = {},
                 nn::KVCache* cache = nullptr);

  /// The options given to the constructor.
  GPT2Options options;
  /// The table of the tokens.
  nn::Embedding wte{nullptr};
  /// The table of the positions.
  nn::Embedding wpe{nullptr};
  /// Dropout of the embedding.
  nn::Dropout drop{nullptr};
  /// The layers.
  nn::ModuleList h{nullptr};
  /// The last norm.
  nn::LayerNorm ln_f{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(Tensor())},
                                {2, nn::AnyValue(static_cast<nn::KVCache*>(nullptr))})
};
TERN_MODULE(GPT2Model);

/// GPT-2 (Radford et al., 2019) with Hugging Face's keys, those of GPT2LMHeadModel.
///
/// Rows of padding, where `attention_mask` is false or 0, may lie at the left or at the right. A
/// sample's first token that is not padding has position 0; the results of padding have no meaning.
///
/// load_state_dict() takes files of the base model, too, whose keys lack "transformer.", ignores
/// the buffers of old files, and needs no lm_head.weight if the head is tied. state_dict() then has
/// none, like the files of Hugging Face. The state of a module that contains the model has the key,
/// because it is the state of its registered modules.
///
/// Shape: int64 [B, T] -> logits [B, T, vocab_size]
///
/// Example:
///   models::GPT2 net(models::GPT2Options::from_config(load_json("gpt2/config.json")));
///   tern::load(net, "gpt2", nn::LoadOptions{.cast = true});
///   net->eval();
class TERN_API GPT2Impl : public nn::Cloneable<GPT2Impl>, public CausalLM {
 public:
  /// Makes the layers, with GPT-2's initial weights. Throws as GPT2Model.
  explicit GPT2Impl(const GPT2Options& options_ = {});

  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the logits of the token after each row.
  ///
  /// Throws: IndexError for a token out of range; ShapeError for other sizes, and for more than
  /// n_positions rows.
  Tensor forward(const Tensor& input_ids, const Tensor& attention_mask = {});

  Tensor next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                           const Tensor& attention_mask = {}) override;
  nn::KVCache make_cache(std::int64_t max_length) const override;
  std::int64_t vocab_size() const override { return options.vocab_size(); }
  std::int64_t context_length() const override { return options.n_positions(); }
  nn::Module& module() override { return *this; }

  /// Returns the state that a file has; see above.
  State state_dict() const;
  /// Copies the state of a file into this module; see above and Module::load_state_dict().
  nn::IncompatibleKeys load_state_dict(const State& state, const nn::LoadOptions& options_);
  nn::IncompatibleKeys load_state_dict(const State& state, StrictBool strict = true) {
    return load_state_dict(state, nn::LoadOptions{.strict = strict});
  }

  /// The options given to the constructor.
  GPT2Options options;
  /// The model without the head.
  GPT2Model transformer{nullptr};
  /// The map to the logits, without bias.
  nn::Linear lm_head{nullptr};

 private:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(Tensor())})
};
TERN_MODULE(GPT2);

}  // namespace tern::models
