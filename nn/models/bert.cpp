#include <tern/nn/models/bert.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/models/detail/config.h>
#include <tern/nn/models/detail/language.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/layer_norm.h>

namespace tern::models {
namespace {

constexpr const char* kBert = "models::Bert";

nn::LayerNorm make_norm(const BertOptions& options) {
  return detail::make_layer_norm(options.hidden_size(), options.layer_norm_eps(), options.dtype());
}

/// One layer. Its parts lie in dictionaries, because the keys of files have the levels.
class BertLayerImpl : public nn::Cloneable<BertLayerImpl> {
 public:
  explicit BertLayerImpl(std::shared_ptr<const BertOptions> options)
      : Cloneable("tern::models::BertLayer"), options_(std::move(options)) {
    BertLayerImpl::reset();
  }

  void reset() override {
    const std::int64_t size = options_->hidden_size(), wide = options_->intermediate_size();
    const auto map = [&](std::int64_t in, std::int64_t out) {
      return detail::make_linear(in, out, true, options_->dtype());
    };
    query_ = map(size, size), key_ = map(size, size), value_ = map(size, size);
    attended_ = map(size, size), widened_ = map(size, wide), narrowed_ = map(wide, size);
    attention_norm_ = make_norm(*options_), norm_ = make_norm(*options_);
    dropout_ = nn::Dropout(options_->hidden_dropout_prob());
    const auto parts = [](const nn::ModuleDictImpl::Pairs& pairs) { return nn::ModuleDict(pairs); };
    const auto add_parts = [&](const char* name, const nn::ModuleDict& dict) {
      register_module(name, dict);
    };
    const auto output_parts = [&](nn::Linear& dense, nn::LayerNorm& norm) {
      return parts({{"dense", dense.ptr()}, {"LayerNorm", norm.ptr()}});
    };
    const nn::ModuleDict self =
        parts({{"query", query_.ptr()}, {"key", key_.ptr()}, {"value", value_.ptr()}});
    const nn::ModuleDict output = output_parts(attended_, attention_norm_);
    add_parts("attention", parts({{"self", self.ptr()}, {"output", output.ptr()}}));
    add_parts("intermediate", parts({{"dense", widened_.ptr()}}));
    add_parts("output", output_parts(narrowed_, norm_));
    register_module("dropout", dropout_);
  }

  Tensor forward(const Tensor& x, const Tensor& mask) {
    const auto heads = [&](nn::Linear& map) {
      return map(x).unflatten(-1, {options_->num_attention_heads(), -1}).transpose(1, 2);
    };
    const Tensor q = heads(query_), k = heads(key_), v = heads(value_);
    const Tensor attention = scaled_dot_product_attention(
        q, k, v, mask.defined() ? std::optional<Tensor>(mask) : std::nullopt,
        is_training() ? options_->attention_probs_dropout_prob() : 0);
    const Tensor y = attention_norm_(dropout_(attended_(attention.transpose(1, 2).flatten(2))) + x);
    const Tensor wide = detail::activate(options_->hidden_act(), widened_(y));
    return norm_(dropout_(narrowed_(wide)) + y);
  }

 private:
  std::shared_ptr<const BertOptions> options_;
  nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr};
  nn::Linear attended_{nullptr}, widened_{nullptr}, narrowed_{nullptr};
  nn::LayerNorm attention_norm_{nullptr}, norm_{nullptr};
  nn::Dropout dropout_{nullptr};
};
TERN_MODULE(BertLayer);

/// Returns the key of the module for a key of a file, which may have the names of old files. Empty
/// for a buffer.
std::string current_key(std::string key) {
  if (key == "embeddings.position_ids" || key == "embeddings.token_type_ids") return {};
  const auto rename = [&](std::string_view old, const char* name) {
    if (key.ends_with(old)) key.replace(key.size() - old.size(), old.size(), name);
  };
  rename("LayerNorm.gamma", "LayerNorm.weight");
  rename("LayerNorm.beta", "LayerNorm.bias");
  return key;
}

}  // namespace

BertOptions BertOptions::from_config(const State& config) {
  const detail::ConfigReader reader(kBert, config, {"bert"});
  BertOptions options;
  reader.need("vocab_size", options.vocab_size());
  reader.need("hidden_size", options.hidden_size());
  reader.need("num_hidden_layers", options.num_hidden_layers());
  reader.need("num_attention_heads", options.num_attention_heads());
  reader.need("intermediate_size", options.intermediate_size());
  reader.need("max_position_embeddings", options.max_position_embeddings());
  reader.read("hidden_act", options.hidden_act());
  reader.read("hidden_dropout_prob", options.hidden_dropout_prob());
  reader.read("attention_probs_dropout_prob", options.attention_probs_dropout_prob());
  reader.read("type_vocab_size", options.type_vocab_size());
  reader.read("layer_norm_eps", options.layer_norm_eps());
  reader.read("pad_token_id", options.pad_token_id());
  reader.read("initializer_range", options.initializer_range());
  reader.expect("position_embedding_type", "absolute");
  reader.expect("is_decoder", false);
  options.dtype(reader.dtype());
  return options;
}

BertImpl::BertImpl(const BertOptions& options_) : options(options_) { BertImpl::reset(); }

void BertImpl::reset() {
  const std::int64_t size = options.hidden_size();
  detail::check_positive(kBert, {{"vocab_size", options.vocab_size()},
                                 {"hidden_size", size},
                                 {"num_hidden_layers", options.num_hidden_layers()},
                                 {"num_attention_heads", options.num_attention_heads()},
                                 {"intermediate_size", options.intermediate_size()},
                                 {"max_position_embeddings", options.max_position_embeddings()},
                                 {"type_vocab_size", options.type_vocab_size()}});
  detail::check_divides(kBert, "hidden_size", size, "num_attention_heads",
                        options.num_attention_heads());
  detail::check_activation(kBert, options.hidden_act());
  const auto table = [&](std::int64_t rows, std::optional<StrictInt> padding_idx) {
    return detail::make_table(rows, size, padding_idx, options.dtype());
  };
  const auto add_parts = [&](const char* name, std::initializer_list<nn::NamedModule> parts) {
    return register_module(name, nn::ModuleDict(parts));
  };
  embeddings =
      add_parts("embeddings",
                {{"word_embeddings", table(options.vocab_size(), options.pad_token_id())},
                 {"position_embeddings", table(options.max_position_embeddings(), std::nullopt)},
                 {"token_type_embeddings", table(options.type_vocab_size(), std::nullopt)},
                 {"LayerNorm", make_norm(options)},
                 {"dropout", nn::Dropout(options.hidden_dropout_prob())}});
  nn::ModuleList layers;
  const auto shared = std::make_shared<const BertOptions>(options);
  for (std::int64_t i = 0; i < options.num_hidden_layers(); ++i) {
    layers->push_back(std::shared_ptr<nn::Module>(std::make_shared<BertLayerImpl>(shared)));
  }
  encoder = add_parts("encoder", {{"layer", layers}});
  pooler = nullptr;
  if (options.add_pooling_layer()) {
    pooler =
        add_parts("pooler", {{"dense", detail::make_linear(size, size, true, options.dtype())}});
  }
  detail::make_tensors(*this, options.device(), options.initializer_range());
}

void BertImpl::pretty_print(std::ostream& stream) const {
  nn::detail::print_to(stream, {"tern::models::Bert(vocab_size=", options.vocab_size(),
                                ", hidden_size=", options.hidden_size(),
                                ", num_hidden_layers=", options.num_hidden_layers(),
                                ", num_attention_heads=", options.num_attention_heads(),
                                ", intermediate_size=", options.intermediate_size(), ')'});
}

std::tuple<Tensor, Tensor> BertImpl::forward(const Tensor& input_ids, const Tensor& attention_mask,
                                             const Tensor& token_type_ids) {
  detail::check_ids(kBert, input_ids);
  const std::int64_t batch = input_ids.size(0), rows = input_ids.size(1);
  TERN_CHECK(rows <= options.max_position_embeddings(), ShapeError, kBert, ": ", rows,
             " rows exceed max_position_embeddings=", options.max_position_embeddings());
  TERN_CHECK(!token_type_ids.defined() || token_type_ids.sizes() == input_ids.sizes(), ShapeError,
             kBert, ": expected token_type_ids of the sizes of input_ids, ", input_ids.sizes(),
             ", got ", token_type_ids.sizes());
  Tensor mask = detail::key_mask(kBert, attention_mask, batch, rows);
  if (mask.defined()) mask = mask.view({batch, 1, 1, rows});
  const TensorOptions integers = TensorOptions(kLong).device(input_ids.device());
  const Tensor types = token_type_ids.defined() ? token_type_ids : zeros({1, 1}, integers);
  Tensor x = embeddings["word_embeddings"](input_ids);
  x = x + embeddings["token_type_embeddings"](types);
  x = x + embeddings["position_embeddings"](arange(rows, integers));
  x = embeddings["dropout"](embeddings["LayerNorm"](x));
  const auto& layers = encoder->at<nn::ModuleList>("layer");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    x = BertLayer(layers.ptr<BertLayerImpl>(i))(x, mask);
  }
  Tensor pooled;
  if (pooler) pooled = tern::tanh(pooler["dense"](x.select(1, 0)));
  return {x, pooled};
}

nn::IncompatibleKeys BertImpl::load_state_dict(const State& state,
                                               const nn::LoadOptions& options_) {
  if (!state.is_dict()) return Module::load_state_dict(state, options_);
  constexpr std::string_view kPrefix = "bert.";
  const bool is_of_task = state.contains("bert.embeddings.word_embeddings.weight");
  State adapted;
  for (const auto& [key, value] : state) {
    if (is_of_task && !key.starts_with(kPrefix)) continue;
    std::string name = current_key(is_of_task ? key.substr(kPrefix.size()) : key);
    if (!name.empty()) adapted.insert(std::move(name), value);
  }
  return Module::load_state_dict(adapted, options_);
}

}  // namespace tern::models
