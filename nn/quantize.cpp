#include <tern/nn/quantize.h>

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <tern/core/ops/nn/quantized.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/modules/attention/multihead_attention.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/linear.h>

namespace tern::nn {

namespace {

/// A module with a weight that may be quantised.
struct Layer {
  std::string name;
  const Module* module;
  LinearImpl* linear;
  EmbeddingImpl* embedding;
  std::optional<BlockFormat> format;  // none: keeps its weight

  const Tensor& weight() const { return linear != nullptr ? linear->weight : embedding->weight; }
  void set(const Tensor& blocks) const {
    linear != nullptr ? linear->set_quantized_weight(blocks, *format)
                      : embedding->set_quantized_weight(blocks, *format);
  }
};

/// Returns all layers that are not quantised yet, each once.
std::vector<Layer> layers_of(Module& root) {
  std::vector<Layer> layers;
  root.apply([&](const std::string& name, Module& module) {
    auto* const linear = module.as<LinearImpl>();
    auto* const embedding = module.as<EmbeddingImpl>();
    if ((linear == nullptr || linear->weight_format()) &&
        (embedding == nullptr || embedding->weight_format())) {
      return;
    }
    layers.push_back({name, &module, linear, embedding, std::nullopt});
  });
  return layers;
}

/// Returns the tensors that are also parameters of modules other than the layers, and those that
/// MultiheadAttention reads itself.
std::unordered_set<const void*> tensors_of_others(const Module& root) {
  std::unordered_set<const void*> others;
  ModuleWalk::each(root, [&](const Module& module) {
    if (const auto* attention = module.as<MultiheadAttentionImpl>()) {
      others.insert(attention->out_proj->weight.unsafeGetTensorImpl());
    }
    if (module.as<LinearImpl>() != nullptr || module.as<EmbeddingImpl>() != nullptr) return;
    for (const Tensor& parameter : module.parameters(false)) {
      others.insert(parameter.unsafeGetTensorImpl());
    }
  });
  return others;
}

void check_layer(const Layer& layer) {
  const Tensor& weight = layer.weight();
  const BlockFormat format = *layer.format;
  TERN_CHECK(weight.defined() && !is_lazy(weight), Error, "quantize_: the weight of '", layer.name,
             "' has no numbers: it is ",
             weight.defined() ? "uninitialized; call the module first"
                              : "parametrized; remove its parametrizations first");
  const int block = elements_of_block(format);
  TERN_CHECK(weight.size(1) % block == 0, ShapeError, "quantize_: the rows of a weight as ",
             block_format_name(format), " must be a multiple of ", block,
             " elements long, but the weight of '", layer.name, "' is ", weight.sizes(),
             " (QuantizeOptions::skip_misfits keeps it)");
}

/// Makes layers keep a weight that others use as it is, and refuses two formats for one weight.
void settle_ties(const Module& root, std::vector<Layer>& layers) {
  std::unordered_set<const void*> kept = tensors_of_others(root);
  for (const Layer& layer : layers) {
    if (!layer.format) kept.insert(layer.weight().unsafeGetTensorImpl());
  }
  std::unordered_map<const void*, const Layer*> first;
  for (Layer& layer : layers) {
    const void* const key = layer.weight().unsafeGetTensorImpl();
    if (key != nullptr && kept.contains(key)) layer.format.reset();
    if (!layer.format || key == nullptr) continue;
    const Layer& other = *first.try_emplace(key, &layer).first->second;
    TERN_CHECK(other.format == layer.format, Error, "quantize_: '", other.name, "' and '",
               layer.name, "' share a weight, which cannot be both ",
               block_format_name(*other.format), " and ", block_format_name(*layer.format));
  }
}

std::size_t quantize_layers(const Module& root, std::vector<Layer>& layers) {
  settle_ties(root, layers);
  std::size_t count = 0;
  for (const Layer& layer : layers) {
    if (!layer.format) continue;
    check_layer(layer);
    ++count;
  }
  std::unordered_map<const void*, Tensor> blocks;
  for (const Layer& layer : layers) {
    if (!layer.format) continue;
    Tensor& made = blocks[layer.weight().unsafeGetTensorImpl()];
    if (made.defined()) continue;
    try {
      made = quantize_rows(layer.weight(), *layer.format);
    } catch (const Error& error) {
      // Names the module, and keeps the class of the error that a caller may handle.
      const std::string text = "quantize_: the weight of '" + layer.name + "': " + error.what();
      if (dynamic_cast<const NotImplementedError*>(&error) != nullptr) {
        throw NotImplementedError(text);
      }
      throw Error(text);
    }
  }
  // The layers of a weight find its blocks before any of them drops it.
  std::vector<std::pair<const Layer*, Tensor>> changes;
  for (const Layer& layer : layers) {
    if (layer.format) changes.emplace_back(&layer, blocks[layer.weight().unsafeGetTensorImpl()]);
  }
  for (const auto& [layer, made] : changes) layer->set(made);
  return count;
}

}  // namespace

std::size_t quantize_(Module& module, BlockFormat format, const QuantizeOptions& options) {
  std::map<std::string, const Module*> skipped;
  for (const std::string& name : options.skip) skipped[name] = nullptr;
  ModuleWalk::paths(module, [&](const std::string& path, const Module& below) {
    if (const auto found = skipped.find(path); found != skipped.end()) found->second = &below;
  });
  std::unordered_set<const Module*> kept;
  for (const auto& [name, root] : skipped) {
    TERN_CHECK(root != nullptr, Error, "quantize_: skip names '", name,
               "', but the module has no module with this name");
    ModuleWalk::each(*root, [&](const Module& below) { kept.insert(&below); });
  }
  std::vector<Layer> layers = layers_of(module);
  for (Layer& layer : layers) {
    const bool is_table = layer.embedding != nullptr;
    if (kept.contains(layer.module)) continue;
    if (is_table && (!options.embeddings || layer.embedding->options.max_norm())) continue;
    const Tensor& weight = layer.weight();
    const bool fits =
        !weight.defined() || is_lazy(weight) || weight.size(1) % elements_of_block(format) == 0;
    if (fits || !options.skip_misfits) layer.format = format;
  }
  return quantize_layers(module, layers);
}

std::size_t quantize_(Module& module, const ChooseFormat& choose) {
  TERN_CHECK(choose != nullptr, Error, "quantize_: the function that chooses formats is empty");
  std::vector<Layer> layers = layers_of(module);
  for (Layer& layer : layers) layer.format = choose(layer.name, *layer.module);
  return quantize_layers(module, layers);
}

}  // namespace tern::nn
