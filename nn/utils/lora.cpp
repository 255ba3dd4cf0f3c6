#include <tern/nn/utils/lora.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/lora.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/name_pattern.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>
#include <tern/nn/modules/attention/multihead_attention.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/utils/freeze.h>

namespace tern::nn::utils {
namespace {

constexpr const char* kFirst = "lora_A";
constexpr const char* kSecond = "lora_B";
constexpr const char* kPrefix = "base_model.model.";  // of PEFT's files

// One of the two matrices of a layer.
class LoraFactorImpl : public Cloneable<LoraFactorImpl> {
 public:
  LoraFactorImpl(std::int64_t in, std::int64_t out, double factor_, const TensorOptions& options)
      : Cloneable("tern::nn::LoraFactor"), weight(zeros({out, in}, options)), factor(factor_) {
    register_parameter("weight", weight);
  }

  void reset() override { weight = register_parameter("weight", zeros_like(weight)); }

  void pretty_print(std::ostream& stream) const override {
    nn::detail::print_to(stream, {"LoraFactor(in_features=", weight.size(1),
                                  ", out_features=", weight.size(0), ", factor=", factor, ')'});
  }
  Tensor forward(const Tensor& x) const {
    const Tensor product = linear(x, weight);
    return factor == 1 ? product : product * factor;
  }

  Tensor weight;
  double factor;
  unsigned hook = 0;  // of lora_B: the layer's hook
};
TERN_MODULE(LoraFactor);

std::shared_ptr<LoraFactorImpl> factor_of(const Module& layer, const char* name) {
  for (const auto& [child_name, child] : layer.named_children()) {
    if (child_name == name) return std::dynamic_pointer_cast<LoraFactorImpl>(child);
  }
  return nullptr;
}

// Calls fn with the name and the layer of each adapter.
template <class Fn>
void for_each_adapted(const Module& module, const Fn& fn) {
  for (const auto& [name, layer] : module.named_modules()) {
    if (factor_of(*layer, kSecond)) fn(name, layer);
  }
}

std::vector<std::shared_ptr<LinearImpl>> targets_of(const Module& module,
                                                    const LoraOptions& options) {
  std::vector<std::shared_ptr<LinearImpl>> found;
  std::vector<std::size_t> counts(options.targets().size());
  std::set<const Module*> read_by_others;
  for (const std::shared_ptr<Module>& child : module.modules()) {
    if (const auto* attention = child->as<MultiheadAttentionImpl>()) {
      read_by_others.insert(attention->out_proj.get());
    }
  }
  for (const auto& [name, child] : module.named_modules()) {
    auto layer = std::dynamic_pointer_cast<LinearImpl>(child);
    if (!layer) continue;
    bool is_target = false;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool matches = nn::detail::matches(options.targets()[i], name);
      counts[i] += matches ? 1 : 0;
      is_target = is_target || matches;
    }
    if (!is_target) continue;
    TERN_CHECK(!factor_of(*layer, kSecond), Error, "add_lora: '", name, "' is adapted already");
    TERN_CHECK(!read_by_others.contains(layer.get()), Error, "add_lora: '", name,
               "' cannot be adapted, because MultiheadAttention reads its weight itself");
    TERN_CHECK(layer->weight.defined() || layer->weight_format(), Error, "add_lora: '", name,
               "' has a parametrized weight");
    found.push_back(std::move(layer));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    TERN_CHECK(counts[i] > 0, Error, "add_lora: no Linear of ", module.name(),
               " has a name that matches '", options.targets()[i], "'");
  }
  return found;
}

void adapt(LinearImpl& layer, const LoraOptions& options) {
  const std::int64_t in = layer.options.in_features(), out = layer.options.out_features();
  const bool is_float = layer.weight.defined();
  const auto place = TensorOptions()
                         .dtype(is_float ? layer.weight.scalar_type() : kFloat)
                         .device((is_float ? layer.weight : layer.weight_blocks).device());
  const LoraFactor first(in, options.rank(), 1.0, place);
  const LoraFactor second(options.rank(), out,
                          options.alpha() / static_cast<double>(options.rank()), place);
  init::kaiming_uniform_(first->weight, std::sqrt(5.0));
  // Of a copy of the layer, the hook finds the copy's matrices.
  second->hook = layer.register_forward_hook(
      [](Module& module, const std::vector<AnyValue>& inputs, AnyValue& output) {
        const auto a = factor_of(module, kFirst), b = factor_of(module, kSecond);
        const Tensor& x = inputs[0].get<Tensor>();
        const Tensor& y = output.get<Tensor>();
        const Tensor more = b->forward(a->forward(x.to(a->weight.scalar_type())));
        output = AnyValue(y + more.to(y.scalar_type()));
      });
  layer.register_module(kFirst, first);
  layer.register_module(kSecond, second);
}

// The matrices by their keys.
std::vector<std::pair<std::string, Tensor>> matrices_of(const Module& module) {
  std::vector<std::pair<std::string, Tensor>> matrices;
  for_each_adapted(module, [&](const std::string& name, const std::shared_ptr<Module>& layer) {
    for (const char* factor : {kFirst, kSecond}) {
      matrices.emplace_back(kPrefix + name + (name.empty() ? "" : ".") + factor + ".weight",
                            factor_of(*layer, factor)->weight);
    }
  });
  return matrices;
}

}  // namespace

}  // namespace tern::nn::utils

namespace tern::nn::detail {

void adopt_adapters(Module& to, const Module& from, const std::optional<Device>& device) {
  std::vector<std::pair<Module*, const Module*>> open = {{&to, &from}};
  while (!open.empty()) {
    const auto [target, source] = open.back();
    open.pop_back();
    const auto targets = target->named_children(), sources = source->named_children();
    for (const auto& [name, child] : sources) {
      const auto* const same = targets.find(name);
      if (same != nullptr) {
        open.emplace_back(same->get(), child.get());
      } else if (child->as<utils::LoraFactorImpl>() != nullptr) {
        target->register_module(name, child->clone(device));
      }
    }
  }
}

}  // namespace tern::nn::detail

namespace tern::nn::utils {

std::size_t add_lora(Module& module, const LoraOptions& options) {
  TERN_CHECK(options.rank() > 0, Error, "add_lora: the rank must be positive, got ",
             options.rank());
  const std::vector<std::shared_ptr<LinearImpl>> layers = targets_of(module, options);
  freeze(module);
  for (const std::shared_ptr<LinearImpl>& layer : layers) adapt(*layer, options);
  return layers.size();
}

State lora_state_dict(const Module& module) {
  State state;
  for (const auto& [key, matrix] : matrices_of(module)) state.insert(key, matrix.detach());
  return state;
}

void load_lora_state_dict(Module& module, const State& state) {
  const auto matrices = matrices_of(module);
  for (const auto& [key, matrix] : matrices) {
    TERN_CHECK(state.contains(key), Error, "load_lora_state_dict: '", key, "' is missing");
    const Tensor& given = state[key].tensor();
    TERN_CHECK(given.sizes() == matrix.sizes(), ShapeError, "load_lora_state_dict: '", key,
               "' must have the sizes ", matrix.sizes(), ", got ", given.sizes());
  }
  TERN_CHECK(state.size() == matrices.size(), Error, "load_lora_state_dict: the state has ",
             state.size(), " tensors, and the module's adapters have ", matrices.size());
  const NoGradGuard no_grad;
  for (auto [key, matrix] : matrices) matrix.copy_(state[key].tensor());
}

void merge_lora(Module& module) {
  for_each_adapted(module, [](const std::string& name, const std::shared_ptr<Module>& layer) {
    const auto& linear = static_cast<const LinearImpl&>(*layer);
    TERN_CHECK(!linear.weight_format(), Error, "merge_lora: '", name,
               "' has a quantised weight, which cannot be changed; keep the adapter");
    TERN_CHECK(linear.weight.defined(), Error, "merge_lora: '", name,
               "' has a parametrized weight; remove the parametrization first");
  });
  const NoGradGuard no_grad;
  std::map<const TensorImpl*, int> uses;
  ModuleWalk::every_parameter(module, true, [&](const std::string&, const Tensor& parameter) {
    ++uses[parameter.unsafeGetTensorImpl()];
  });
  for_each_adapted(module, [&](const std::string&, const std::shared_ptr<Module>& layer) {
    const auto a = factor_of(*layer, kFirst), b = factor_of(*layer, kSecond);
    auto& linear = static_cast<LinearImpl&>(*layer);
    if (uses[linear.weight.unsafeGetTensorImpl()] > 1) {
      linear.replace_parameter("weight", linear.weight.clone(), linear.weight.requires_grad());
    }
    linear.weight.add_(mm(b->weight, a->weight), b->factor);
    layer->remove_hook(b->hook);
    layer->unregister_module(kFirst);
    layer->unregister_module(kSecond);
  });
}

}  // namespace tern::nn::utils
