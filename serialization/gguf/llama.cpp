#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/gguf.h>
#include <tern/serialization/json/detail/text.h>

namespace tern {
namespace {

constexpr std::string_view kWholeNames[][2] = {
    {"token_embd.weight", "model.embed_tokens.weight"},
    {"output_norm.weight", "model.norm.weight"},
    {"output.weight", "lm_head.weight"},
};
constexpr std::string_view kLayerNames[][2] = {
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"attn_norm", "input_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
};
constexpr std::string_view kLayers = "blk.", kRopeFreqs = "rope_freqs.weight";

/// Values of the metadata, with errors that name the file and the key.
class Keys {
 public:
  explicit Keys(const GgufFile& file) : file_(file) {}

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    detail::raise<FileError>("load: '", file_.path(), "': ", parts...);
  }
  bool has(std::string_view key) const { return file_.has_key(key); }
  State value(const std::string& key, State::Kind kind, const char* expected) const {
    if (!has(key)) fail("the key '", key, "' is missing");
    State value = file_.metadata(key);
    if (value.kind() != kind) {
      fail("key '", key, "': expected ", expected, ", found ", kind_name(value.kind()));
    }
    return value;
  }
  std::int64_t integer(const std::string& key, std::int64_t least = 0) const {
    const auto number = value(key, State::Kind::Int, "an integer").to<std::int64_t>();
    if (number < least) fail("key '", key, "' is ", number, ", expected at least ", least);
    return number;
  }
  /// Returns the shortest decimal that stands for the number in the file, which its writer rounded
  /// to float32.
  double decimal(const std::string& key) const {
    const auto number = value(key, State::Kind::Double, "a floating number").to<double>();
    const auto narrow = static_cast<float>(number);
    if (!std::isfinite(number)) fail("key '", key, "' is ", number, ", expected a finite number");
    if (static_cast<double>(narrow) != number) return number;
    char text[detail::kMaxNumberText];
    double decimal = number;
    std::from_chars(text, std::to_chars(text, text + sizeof text, narrow).ptr, decimal);
    return decimal;
  }

 private:
  const GgufFile& file_;
};

/// Moves the rows 2j and 2j + 1 of each head to the rows j and j + D/2.
Tensor halves_of_heads(const Tensor& rows, std::int64_t heads, const GgufLlamaName& name,
                       const GgufFile& file) {
  const IntArrayRef shape = rows.sizes();
  TERN_CHECK(!shape.empty() && shape[0] % (2 * heads) == 0, FileError, "load: '", file.path(),
             "': tensor '", name.gguf_name, "': shape ", shape, " is no even number of rows for ",
             heads, " heads");
  std::vector<std::int64_t> parts = {heads, shape[0] / heads / 2, 2};
  parts.insert(parts.end(), shape.begin() + 1, shape.end());
  return rows.reshape(parts).transpose(1, 2).reshape(shape);
}

}  // namespace

GgufLlama::GgufLlama(const GgufFile& file) : file_(&file) {
  const Keys keys(file);
  const std::string architecture =
      keys.value("general.architecture", State::Kind::String, "a string").string();
  if (architecture != "llama") {
    keys.fail("the architecture is '", detail::shown_name(architecture), "', expected 'llama'");
  }
  const std::int64_t hidden = keys.integer("llama.embedding_length", 1);
  const std::int64_t layers = keys.integer("llama.block_count");
  const std::int64_t heads = keys.integer("llama.attention.head_count", 1);
  const auto either = [&](const std::string& key, std::int64_t other, std::int64_t least) {
    return keys.has(key) ? keys.integer(key, least) : other;
  };
  const std::int64_t key_value_heads = either("llama.attention.head_count_kv", heads, 1);
  const std::int64_t head_dim =
      either("llama.attention.key_length",
             either("llama.rope.dimension_count", std::max<std::int64_t>(hidden / heads, 1), 1), 1);
  const GgufEntry* const embedding = file.find(kWholeNames[0][0]);
  if (embedding == nullptr || embedding->shape.size() != 2) {
    keys.fail("the tensor '", kWholeNames[0][0], "' is missing or has not 2 dimensions");
  }
  const double theta =
      keys.has("llama.rope.freq_base") ? keys.decimal("llama.rope.freq_base") : 1e4;

  config_.insert("architectures", State::list({"LlamaForCausalLM"}));
  config_.insert("model_type", "llama");
  config_.insert("vocab_size", embedding->shape[0]);
  config_.insert("hidden_size", hidden);
  config_.insert("intermediate_size", keys.integer("llama.feed_forward_length", 1));
  config_.insert("num_hidden_layers", layers);
  config_.insert("num_attention_heads", heads);
  config_.insert("num_key_value_heads", key_value_heads);
  config_.insert("head_dim", head_dim);
  config_.insert("hidden_act", "silu");
  config_.insert("max_position_embeddings", keys.integer("llama.context_length", 1));
  config_.insert("rms_norm_eps", keys.decimal("llama.attention.layer_norm_rms_epsilon"));
  config_.insert("rope_theta", theta);
  add_rope(head_dim, theta);
  config_.insert("tie_word_embeddings", file.find("output.weight") == nullptr);
  config_.insert("attention_bias", file.find("blk.0.attn_q.bias") != nullptr);
  config_.insert("mlp_bias", file.find("blk.0.ffn_up.bias") != nullptr);
  for (const auto& [name, key] : {std::pair("bos_token_id", "tokenizer.ggml.bos_token_id"),
                                  std::pair("eos_token_id", "tokenizer.ggml.eos_token_id"),
                                  std::pair("pad_token_id", "tokenizer.ggml.padding_token_id")}) {
    if (keys.has(key)) config_.insert(name, keys.integer(key));
  }
  add_names(layers, heads, key_value_heads);
}

void GgufLlama::add_names(std::int64_t layers, std::int64_t heads, std::int64_t key_value_heads) {
  for (const GgufEntry& entry : file_->entries()) {
    GgufLlamaName name{{}, entry.name};
    for (const auto& [from, to] : kWholeNames) {
      if (entry.name == from) name.name = to;
    }
    for (std::string_view rest = entry.name; name.name.empty() && rest.starts_with(kLayers);) {
      rest.remove_prefix(kLayers.size());
      std::int64_t layer = -1;
      std::from_chars(rest.data(), rest.data() + rest.size(), layer);
      const std::string number = std::to_string(layer) + ".";
      const std::size_t dot = rest.rfind('.');
      if (layer < 0 || layer >= layers || !rest.starts_with(number) || dot < number.size()) break;
      const std::string_view part = rest.substr(number.size(), dot - number.size());
      const std::string_view last = rest.substr(dot);
      const auto* const found =
          std::ranges::find_if(kLayerNames, [&](const auto& names) { return names[0] == part; });
      if (found == std::end(kLayerNames) || (last != ".weight" && last != ".bias")) break;
      name.name = detail::text_of("model.layers.", number, (*found)[1], last);
      if (part == "attn_q") name.heads = heads;
      if (part == "attn_k") name.heads = key_value_heads;
    }
    if (entry.name == kRopeFreqs) continue;
    TERN_CHECK(!name.name.empty(), FileError, "load: '", file_->path(), "': tensor '",
               detail::shown_name(entry.name), "' is not of a Llama model with ", layers,
               " layers");
    names_.push_back(std::move(name));
  }
}

/// Describes how wavelengths are stretched. Files have the parameters as keys, or, for Llama 3, the
/// divisors of the frequencies as a tensor.
void GgufLlama::add_rope(std::int64_t head_dim, double theta) {
  const Keys keys(*file_);
  const std::string type_key = "llama.rope.scaling.type";
  State scaling;
  if (keys.has(type_key)) {
    const State type = keys.value(type_key, State::Kind::String, "a string");
    if (type.string() != "none") {
      scaling.set("rope_type", type);
      scaling.set("factor", keys.decimal("llama.rope.scaling.factor"));
      const std::string context = "llama.rope.scaling.original_context_length";
      if (keys.has(context)) {
        scaling.set("original_max_position_embeddings", keys.integer(context, 1));
      }
    }
  }
  if (file_->find(kRopeFreqs) != nullptr) {
    const std::vector<float> divisors =
        file_->read(kRopeFreqs, kFloat).flatten().to_vector<float>();
    // All models of Llama 3 have these three numbers, and 8 or 32 as factor.
    constexpr double kLow = 1, kHigh = 4;
    constexpr std::int64_t kContext = 8192;
    const double factor = divisors.empty() ? 1 : *std::ranges::max_element(divisors);
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      const double turns =
          kContext *
          std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_dim)) /
          (2 * std::numbers::pi);
      const double smooth = std::clamp((turns - kLow) / (kHigh - kLow), 0.0, 1.0);
      const double expected = 1 / ((1 - smooth) / factor + smooth);
      if (!(std::abs(divisors[i] - expected) <= 1e-4 * expected)) {
        keys.fail("tensor '", kRopeFreqs, "': element ", i, " is ", divisors[i], ", expected ",
                  expected, " as in Llama 3");
      }
    }
    if (factor != 1) {
      scaling.set("rope_type", "llama3");
      scaling.set("factor", factor);
      scaling.set("low_freq_factor", kLow);
      scaling.set("high_freq_factor", kHigh);
      scaling.set("original_max_position_embeddings", kContext);
    }
  }
  if (!scaling.empty()) config_.insert("rope_scaling", scaling);
}

const GgufLlamaName& GgufLlama::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name, &GgufLlamaName::name);
  TERN_CHECK(found != names_.end(), IndexError, "load: '", file_->path(), "' has no tensor '",
             detail::shown_name(name), "'");
  return *found;
}

Tensor GgufLlama::read(std::string_view name, std::optional<ScalarType> dtype) const {
  const GgufLlamaName& found = find(name);
  if (found.heads == 0) return file_->read(found.gguf_name, dtype);
  return halves_of_heads(file_->copy(found.gguf_name, dtype), found.heads, found, *file_);
}

GgufBlocks GgufLlama::read_blocks(std::string_view name) const {
  const GgufLlamaName& found = find(name);
  if (found.heads == 0) return file_->read_blocks(found.gguf_name);
  GgufBlocks blocks = file_->copy_blocks(found.gguf_name);
  blocks.bytes = halves_of_heads(blocks.bytes, found.heads, found, *file_);
  return blocks;
}

}  // namespace tern
