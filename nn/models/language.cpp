#include <tern/core/base/text.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/init.h>
#include <tern/nn/models/detail/language.h>
#include <tern/nn/modules/attention/positional_encoding.h>

namespace tern::models::detail {

void check_ids(const char* model, const Tensor& input_ids) {
  TERN_CHECK(input_ids.dim() == 2 && input_ids.size(1) > 0, ShapeError, model,
             ": expected input_ids [B, T] with at least one column, got sizes ", input_ids.sizes());
  TERN_CHECK(input_ids.dtype() == kLong || input_ids.dtype() == kInt, DTypeError, model,
             ": expected input_ids of dtype Long or Int, got ", input_ids.scalar_type());
}

Tensor key_mask(const char* model, const Tensor& mask, std::int64_t batch, std::int64_t keys) {
  if (!mask.defined()) return {};
  TERN_CHECK(mask.dim() == 2 && mask.size(0) == batch && mask.size(1) == keys, ShapeError, model,
             ": expected an attention_mask of sizes [", batch, ", ", keys,
             "], a column for each row in the cache and of input_ids, got ", mask.sizes());
  TERN_CHECK(mask.dtype() == kBool || mask.dtype() == kLong || mask.dtype() == kInt, DTypeError,
             model, ": expected an attention_mask of dtype Bool, Long or Int, got ",
             mask.scalar_type());
  Tensor result = mask.to(kBool);
  return result.is_cpu() && result.all().item<bool>() ? Tensor() : result;
}

DecoderCall decoder_call(const DecoderLimits& limits, const Tensor& input_ids,
                         const Tensor& attention_mask, nn::KVCache* cache) {
  check_ids(limits.model, input_ids);
  TERN_CHECK(cache == nullptr || cache->num_layers() == limits.layers, Error, limits.model,
             ": the model has ", limits.layers, " layers, but the cache ", cache->num_layers());
  const std::int64_t batch = input_ids.size(0), rows = input_ids.size(1);
  const std::int64_t cached = cache == nullptr ? 0 : cache->length(), keys = cached + rows;
  const auto check_room = [&](const char* what, std::int64_t most) {
    TERN_CHECK(keys <= most, ShapeError, limits.model, ": ", cached, " rows in the cache and ",
               rows, " new ones exceed ", what, "=", most);
  };
  check_room(limits.context_option, limits.context);
  if (cache != nullptr && cache->max_length()) check_room("max_length", *cache->max_length());

  const TensorOptions integers = TensorOptions(kLong).device(input_ids.device());
  const Tensor counts = key_mask(limits.model, attention_mask, batch, keys);
  DecoderCall call{cache, {}, {}, {}, false, {}, {}};
  if (counts.defined()) {
    call.positions = (counts.cumsum(1) - 1).clamp_min(0).narrow(1, cached, rows);
  } else {
    call.positions = arange(cached, keys, integers);
  }
  const bool has_window = limits.window && keys > *limits.window;
  if (rows > 1 && (cached > 0 || counts.defined() || has_window)) {
    call.mask = nn::functional::causal_lower_right(rows, keys, input_ids.device());
  }
  call.is_causal = rows > 1 && !call.mask.defined();
  const auto restrict = [](Tensor& mask, const Tensor& other) {
    mask = mask.defined() ? mask.logical_and(other) : other;
  };
  if (counts.defined()) restrict(call.mask, counts.view({batch, 1, 1, keys}));
  call.window_mask = call.mask;
  if (has_window) {
    const Tensor queries = arange(cached, keys, integers).unsqueeze(1);
    restrict(call.window_mask, arange(keys, integers) > queries - std::int64_t{*limits.window});
  }
  return call;
}

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const DecoderCall& call,
              std::int64_t layer, double dropout, std::optional<double> scale, bool is_windowed) {
  Tensor keys = k, values = v;
  if (call.cache != nullptr) std::tie(keys, values) = call.cache->update(layer, k, v);
  const Tensor& mask = is_windowed ? call.window_mask : call.mask;
  const Tensor result = scaled_dot_product_attention(
      q, keys, values, mask.defined() ? std::optional<Tensor>(mask) : std::nullopt, dropout,
      call.is_causal && !mask.defined(), scale, /*enable_gqa=*/q.size(1) != k.size(1));
  return result.transpose(1, 2).flatten(2);
}

void check_positive(const char* model,
                    std::initializer_list<std::pair<const char*, std::int64_t>> options) {
  for (const auto& [option, value] : options) {
    TERN_CHECK(value > 0 && value <= INT32_MAX, Error, model, ": ", option, " must be from 1 to ",
               INT32_MAX, ", got ", value);
  }
}

void check_divides(const char* model, const char* option, std::int64_t size,
                   const char* heads_option, std::int64_t heads) {
  TERN_CHECK(size % heads == 0, ShapeError, model, ": ", heads_option, " must divide ", option,
             ", got ", heads_option, "=", heads, " and ", option, "=", size);
}

nn::LayerNorm make_layer_norm(std::int64_t size, double eps, std::optional<ScalarType> dtype) {
  return nn::LayerNorm(nn::LayerNormOptions(size).eps(eps).device(Device(kMeta)).dtype(dtype));
}

nn::Embedding make_table(std::int64_t rows, std::int64_t size, std::optional<StrictInt> padding_idx,
                         std::optional<ScalarType> dtype) {
  return nn::Embedding(
      nn::EmbeddingOptions(rows, size).padding_idx(padding_idx).device(Device(kMeta)).dtype(dtype));
}

nn::Linear make_linear(std::int64_t in, std::int64_t out, bool bias,
                       std::optional<ScalarType> dtype) {
  return nn::Linear(nn::LinearOptions(in, out).bias(bias).device(Device(kMeta)).dtype(dtype));
}

bool is_on_meta(const std::optional<Device>& device) {
  return device.value_or(get_default_device()).is_meta();
}

namespace {

void draw(nn::Module& module, double std) {
  if (auto* linear = module.as<nn::Linear>()) {
    nn::init::normal_(linear->weight, 0, std);
    if (linear->bias.defined()) nn::init::zeros_(linear->bias);
  } else if (auto* table = module.as<nn::Embedding>()) {
    nn::init::normal_(table->weight, 0, std);
    if (const auto row = table->options.padding_idx()) {
      const NoGradGuard no_grad;
      table->weight.select(0, *row).zero_();
    }
  } else if (auto* norm = module.as<nn::LayerNorm>()) {
    norm->reset_parameters();
  } else if (auto* rms_norm = module.as<nn::RMSNorm>()) {
    rms_norm->reset_parameters();
  }
}

}  // namespace

void make_tensors(nn::Module& net, const std::optional<Device>& device, double std) {
  if (is_on_meta(device)) return;
  net.to_empty(device.value_or(get_default_device()));
  for (const std::shared_ptr<nn::Module>& module : net.modules(/*include_self=*/false)) {
    draw(*module, std);
  }
}

nn::Linear make_head(const Tensor& table, std::int64_t hidden, std::int64_t vocab,
                     const std::optional<Device>& device, std::optional<ScalarType> dtype,
                     double std) {
  nn::Linear head = make_linear(hidden, vocab, false, dtype);
  if (table.defined()) {
    head->replace_parameter("weight", table);
  } else if (!is_on_meta(device)) {
    head->to_empty(device.value_or(get_default_device()));
    draw(*head, std);
  }
  return head;
}

State with_head(const State& state, const std::string& base, const std::string& table, bool is_tied,
                bool (*is_buffer)(std::string_view key)) {
  if (!state.is_dict()) return state;
  const bool is_base = state.contains(table);
  State result;
  for (const auto& [key, value] : state) {
    if (is_buffer(key)) continue;
    const bool has_prefix = !is_base || key == "lm_head.weight";
    result.insert(has_prefix ? key : tern::detail::text_of(base, '.', key), value);
  }
  const State* const shared = result.find(base + "." + table);
  if (is_tied && shared != nullptr && !result.contains("lm_head.weight")) {
    const State copy = *shared;
    result.insert("lm_head.weight", copy);
  }
  return result;
}

State without_tied_head(State state, const nn::EmbeddingImpl& table, const nn::LinearImpl& head) {
  if (head.weight.defined() && head.weight.is_same(table.weight)) state.erase("lm_head.weight");
  return state;
}

void check_activation(const char* model, const std::string& name) {
  for (const char* const known : {"gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu"}) {
    if (name == known) return;
  }
  tern::detail::raise<Error>(model, ": unknown activation \"", name,
                             "\", supported: gelu, gelu_new, gelu_pytorch_tanh, relu, silu");
}

Tensor activate(const std::string& name, const Tensor& input) {
  if (name == "relu") return relu(input);
  if (name == "silu") return silu(input);
  return gelu(input, name == "gelu" ? "none" : "tanh");
}

}  // namespace tern::models::detail
