#include <tern/nn/models/llama.h>

#include <tern/core/base/text.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/containers/module_dict.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/models/detail/config.h>
#include <tern/nn/models/detail/language.h>
#include <tern/nn/modules/attention/gated_feed_forward.h>

namespace tern::models {
namespace {

constexpr const char* kLlama = "models::Llama";

std::int64_t key_heads(const LlamaOptions& options) {
  return options.num_key_value_heads().value_or(options.num_attention_heads());
}

std::int64_t head_size(const LlamaOptions& options) {
  return options.head_dim().value_or(options.hidden_size() / options.num_attention_heads());
}

nn::RMSNorm make_norm(const LlamaOptions& options) {
  return nn::RMSNorm(nn::RMSNormOptions(options.hidden_size())
                         .eps(options.rms_norm_eps())
                         .device(Device(kMeta))
                         .dtype(options.dtype()));
}

/// One layer. Its attention lies in a dictionary, because the keys of files have the level.
class LlamaLayerImpl : public nn::Cloneable<LlamaLayerImpl> {
 public:
  LlamaLayerImpl(std::shared_ptr<const LlamaOptions> options, std::int64_t layer)
      : Cloneable("tern::models::LlamaLayer"), options_(std::move(options)), layer_(layer) {
    LlamaLayerImpl::reset();
  }

  void reset() override {
    const std::int64_t size = options_->hidden_size(), head = head_size(*options_);
    const std::int64_t queries = options_->num_attention_heads() * head;
    const std::int64_t keys = key_heads(*options_) * head;
    const auto map = [&](std::int64_t in, std::int64_t out, bool bias) {
      return detail::make_linear(in, out, bias, options_->dtype());
    };
    q_proj_ = map(size, queries, options_->qkv_bias());
    k_proj_ = map(size, keys, options_->qkv_bias());
    v_proj_ = map(size, keys, options_->qkv_bias());
    o_proj_ = map(queries, size, options_->output_bias());
    register_module("self_attn",
                    nn::ModuleDict(nn::ModuleDictImpl::Pairs{{"q_proj", q_proj_.ptr()},
                                                             {"k_proj", k_proj_.ptr()},
                                                             {"v_proj", v_proj_.ptr()},
                                                             {"o_proj", o_proj_.ptr()}}));
    mlp_ = register_module("mlp", nn::SwiGLU(nn::SwiGLUOptions(size, options_->intermediate_size())
                                                 .bias(options_->mlp_bias())
                                                 .device(Device(kMeta))
                                                 .dtype(options_->dtype())));
    const auto add_norm = [&](const char* name) {
      return register_module(name, make_norm(*options_));
    };
    input_layernorm_ = add_norm("input_layernorm");
    post_attention_layernorm_ = add_norm("post_attention_layernorm");
  }

  Tensor forward(const Tensor& x, const detail::DecoderCall& call) {
    const Tensor y = x + attend(input_layernorm_(x), call);
    return y + mlp_(post_attention_layernorm_(y));
  }

 private:
  Tensor attend(const Tensor& x, const detail::DecoderCall& call) {
    const std::int64_t queries = options_->num_attention_heads(), keys = key_heads(*options_);
    const auto heads = [&](const Tensor& mapped) {
      return mapped.unflatten(-1, {-1, head_size(*options_)});
    };
    // Queries and keys turn at once: at batch 1 the number of ops counts.
    const Tensor query = q_proj_(x);
    const Tensor turned =
        nn::functional::rotary_embedding(heads(cat({query, k_proj_(x)}, -1)), call.cos, call.sin)
            .transpose(1, 2);
    const Tensor q = turned.narrow(1, 0, queries), k = turned.narrow(1, queries, keys);
    const Tensor v = heads(v_proj_(x)).transpose(1, 2);
    const double dropout = is_training() ? options_->attention_dropout() : 0;
    const bool is_windowed = layer_ >= options_->first_window_layer();
    return o_proj_(detail::attend(q, k, v, call, layer_, dropout, std::nullopt, is_windowed));
  }

  std::shared_ptr<const LlamaOptions> options_;
  std::int64_t layer_;
  nn::Linear q_proj_{nullptr}, k_proj_{nullptr}, v_proj_{nullptr}, o_proj_{nullptr};
  nn::SwiGLU mlp_{nullptr};
  nn::RMSNorm input_layernorm_{nullptr}, post_attention_layernorm_{nullptr};
};
TERN_MODULE(LlamaLayer);

/// Reads the rotary embedding: "rope_parameters" of new files, or "rope_theta" and "rope_scaling".
void read_rope(const detail::ConfigReader& reader, LlamaOptions& options) {
  reader.read("rope_theta", options.rope_theta());
  const bool is_new = reader.find("rope_parameters") != nullptr;
  if (!is_new && reader.find("rope_scaling") == nullptr) return;
  const detail::ConfigReader rope = reader.inside(is_new ? "rope_parameters" : "rope_scaling");
  rope.read("rope_theta", options.rope_theta());
  std::string type = "default";
  const char* const field = rope.find("rope_type") == nullptr ? "type" : "rope_type";
  rope.read(field, type);
  double share = 1;
  rope.read("partial_rotary_factor", share);
  if (share != 1) rope.refuse("partial_rotary_factor", tern::detail::text_of(share), "1");
  if (type == "default") return;
  if (type != "llama3") {
    rope.refuse(field, tern::detail::text_of('"', type, '"'), "\"default\", \"llama3\"");
  }
  nn::RotaryScalingOptions scaling;
  rope.need("factor", scaling.factor());
  rope.need("low_freq_factor", scaling.low_freq_factor());
  rope.need("high_freq_factor", scaling.high_freq_factor());
  rope.need("original_max_position_embeddings", scaling.original_max_position_embeddings());
  options.rope_scaling(scaling);
}

/// Whether a key of an old file is a buffer, which the options replace.
bool is_llama_buffer(std::string_view key) { return key.ends_with(".rotary_emb.inv_freq"); }

}  // namespace

LlamaOptions LlamaOptions::from_config(const State& config) {
  const detail::ConfigReader reader(kLlama, config, {"llama", "mistral", "qwen2"});
  LlamaOptions options;
  reader.need("vocab_size", options.vocab_size());
  reader.need("hidden_size", options.hidden_size());
  reader.need("intermediate_size", options.intermediate_size());
  reader.need("num_hidden_layers", options.num_hidden_layers());
  reader.need("num_attention_heads", options.num_attention_heads());
  reader.need("max_position_embeddings", options.max_position_embeddings());
  reader.need("rms_norm_eps", options.rms_norm_eps());
  reader.read("num_key_value_heads", options.num_key_value_heads());
  reader.read("head_dim", options.head_dim());
  reader.read("attention_dropout", options.attention_dropout());
  reader.read("pad_token_id", options.pad_token_id());
  reader.read("tie_word_embeddings", options.tie_word_embeddings());
  reader.read("initializer_range", options.initializer_range());
  reader.expect("hidden_act", "silu");
  read_rope(reader, options);
  if (reader.type() == "llama") {
    reader.read("attention_bias", options.qkv_bias());
    options.output_bias(options.qkv_bias());
    reader.read("mlp_bias", options.mlp_bias());
  } else if (reader.type() == "mistral") {
    reader.read("sliding_window", options.sliding_window());
  } else {
    options.qkv_bias(true);
    bool is_windowed = false;
    reader.read("use_sliding_window", is_windowed);
    if (is_windowed) {
      reader.read("sliding_window", options.sliding_window());
      reader.need("max_window_layers", options.first_window_layer());
    }
  }
  options.dtype(reader.dtype());
  return options;
}

LlamaModelImpl::LlamaModelImpl(const LlamaOptions& options_) : options(options_) {
  LlamaModelImpl::reset();
}

void LlamaModelImpl::reset() {
  const std::int64_t heads = options.num_attention_heads();
  detail::check_positive(kLlama, {{"vocab_size", options.vocab_size()},
                                  {"hidden_size", options.hidden_size()},
                                  {"intermediate_size", options.intermediate_size()},
                                  {"num_hidden_layers", options.num_hidden_layers()},
                                  {"num_attention_heads", heads},
                                  {"num_key_value_heads", key_heads(options)},
                                  {"head_dim", options.head_dim().value_or(1)},
                                  {"max_position_embeddings", options.max_position_embeddings()},
                                  {"sliding_window", options.sliding_window().value_or(1)}});
  detail::check_divides(kLlama, "num_attention_heads", heads, "num_key_value_heads",
                        key_heads(options));
  if (!options.head_dim()) {
    detail::check_divides(kLlama, "hidden_size", options.hidden_size(), "num_attention_heads",
                          heads);
  }
  nn::RotaryEmbeddingOptions rotary(head_size(options));
  rotary.base(options.rope_theta()).scaling(options.rope_scaling());
  embed_tokens = register_module("embed_tokens",
                                 detail::make_table(options.vocab_size(), options.hidden_size(),
                                                    options.pad_token_id(), options.dtype()));
  layers = register_module("layers", nn::ModuleList());
  const auto shared = std::make_shared<const LlamaOptions>(options);
  for (std::int64_t i = 0; i < options.num_hidden_layers(); ++i) {
    layers->push_back(std::shared_ptr<nn::Module>(std::make_shared<LlamaLayerImpl>(shared, i)));
  }
  norm = register_module("norm", make_norm(options));
  rotary_emb = register_module("rotary_emb", nn::RotaryEmbedding(rotary));
  detail::make_tensors(*this, options.device(), options.initializer_range());
}

void LlamaModelImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::models::LlamaModel";
}

Tensor LlamaModelImpl::forward(const Tensor& input_ids, const Tensor& attention_mask,
                               nn::KVCache* cache) {
  detail::DecoderCall call =
      detail::decoder_call({kLlama, options.num_hidden_layers(), options.max_position_embeddings(),
                            "max_position_embeddings", options.sliding_window()},
                           input_ids, attention_mask, cache);
  Tensor x = embed_tokens(input_ids);
  // [T, 1, head / 2] or [B, T, 1, head / 2]: the same for all heads
  std::tie(call.cos, call.sin) = rotary_emb->tables(call.positions.unsqueeze(-1));
  for (std::size_t i = 0; i < layers->size(); ++i) {
    x = LlamaLayer(layers->ptr<LlamaLayerImpl>(i))(x, call);
  }
  return norm(x);
}

LlamaImpl::LlamaImpl(const LlamaOptions& options_) : options(options_) { LlamaImpl::reset(); }

void LlamaImpl::reset() {
  model = register_module("model", LlamaModel(options));
  const Tensor tied = options.tie_word_embeddings() ? model->embed_tokens->weight : Tensor();
  lm_head = register_module(
      "lm_head", detail::make_head(tied, options.hidden_size(), options.vocab_size(),
                                   options.device(), options.dtype(), options.initializer_range()));
}

void LlamaImpl::pretty_print(std::ostream& stream) const {
  nn::detail::print_to(
      stream,
      {"tern::models::Llama(vocab_size=", options.vocab_size(),
       ", hidden_size=", options.hidden_size(), ", intermediate_size=", options.intermediate_size(),
       ", num_hidden_layers=", options.num_hidden_layers(),
       ", num_attention_heads=", options.num_attention_heads(),
       ", num_key_value_heads=", key_heads(options), ", head_dim=", head_size(options), ')'});
}

Tensor LlamaImpl::forward(const Tensor& input_ids, const Tensor& attention_mask) {
  return lm_head(model(input_ids, attention_mask));
}

Tensor LlamaImpl::next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                                    const Tensor& attention_mask) {
  return lm_head(model(input_ids, attention_mask, &cache).select(1, -1));
}

nn::KVCache LlamaImpl::make_cache(std::int64_t max_length) const {
  return nn::KVCache(options.num_hidden_layers(), max_length);
}

State LlamaImpl::state_dict() const {
  return detail::without_tied_head(Module::state_dict(), *model->embed_tokens, *lm_head);
}

nn::IncompatibleKeys LlamaImpl::load_state_dict(const State& state,
                                                const nn::LoadOptions& options_) {
  return Module::load_state_dict(detail::with_head(state, "model", "embed_tokens.weight",
                                                   options.tie_word_embeddings(), is_llama_buffer),
                                 options_);
}

}  // namespace tern::models
