#include <tern/nn/module/summary.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/tensor/generator.h>
#include <tern/nn/detail/hooks.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/summary_table.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/modules/embedding.h>

namespace tern::nn {

namespace {

/// Returns the devices with tensors of the module that have a generator beside the CPU's.
std::vector<Device> devices_of(const Module& root) {
  std::vector<Device> devices;
  const auto add = [&](const Tensor& tensor) {
    const Device device = tensor.device();
    if (!kernels::traits_of(device).has_generators) return;
    if (std::count(devices.begin(), devices.end(), device) == 0) devices.push_back(device);
  };
  ModuleWalk::parameters(root, true, add);
  ModuleWalk::buffers(root, true, add);
  return devices;
}

const void* memory_of(const Tensor& tensor) { return tensor.self().storage.get(); }

/// Returns true if the table of an embedding is changed by its forward.
template <class Impl>
bool renormalises(const Module& module) {
  const auto* const embedding = module.as<Impl>();
  return embedding != nullptr && embedding->options.max_norm().has_value();
}

}  // namespace

struct detail::SummaryRun::Data {
  /// What the hooks saw of a module.
  struct Seen {
    std::string shapes;
    std::int64_t calls = 0;
  };

  explicit Data(Module& module) : root(module) {}
  ~Data();
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  Module& root;
  NoGradGuard no_grad;
  std::optional<ForkRngGuard> random;
  std::vector<std::pair<Tensor, Tensor>> values;  // tensors that the call may change, and copies
  // Uninitialized statistics of norms: the call gives them sizes and numbers.
  std::vector<std::pair<std::string, Tensor>> lazy;
  std::vector<std::pair<Module*, unsigned>> hooks;
  std::unordered_map<const Module*, Seen> seen;
  std::int64_t activation_bytes = 0;
};

detail::SummaryRun::SummaryRun(Module& root) : data_(std::make_unique<Data>(root)) {
  Data& data = *data_;
  bool draws_parameters = false;
  ModuleWalk::parameters(root, true, [&](const Tensor& parameter) {
    draws_parameters = draws_parameters || is_lazy(parameter);
  });
  if (!draws_parameters) data.random.emplace(devices_of(root));
  const auto save = [&](const Tensor& tensor) {
    if (!is_lazy(tensor)) data.values.emplace_back(tensor, tensor.detach().clone());
  };
  ModuleWalk::buffers(root, true, [&](const std::string& path, const Tensor& tensor) {
    save(tensor);
    if (is_lazy(tensor)) data.lazy.emplace_back(path, tensor);
  });
  ModuleWalk::each(root, [&](const Module& each) {
    Module& module = const_cast<Module&>(each);
    if (renormalises<EmbeddingImpl>(module) || renormalises<EmbeddingBagImpl>(module)) {
      for (const Tensor& tensor : module.parameters(/*recurse=*/false)) save(tensor);
    }
    const bool is_leaf = ModuleWalk::children(module).is_empty() || module.needs_call_scope();
    const unsigned number = module.register_forward_hook(
        [&data, is_leaf](Module& called, const std::vector<AnyValue>& inputs, AnyValue& output) {
          Data::Seen& seen = data.seen[&called];
          ++seen.calls;
          std::vector<Tensor*> tensors;
          if (!output_tensors(output, tensors)) return;
          seen.shapes.clear();
          for (const Tensor* tensor : tensors) {
            if (tensor == nullptr || !tensor->defined()) continue;
            seen.shapes += tern::detail::text_of(seen.shapes.empty() ? "" : ", ", tensor->sizes());
            const bool is_shared =
                std::any_of(inputs.begin(), inputs.end(), [&](const AnyValue& input) {
                  const Tensor* given = input.try_get<Tensor>();
                  return given != nullptr && given->defined() &&
                         memory_of(*given) == memory_of(*tensor);
                });
            if (is_leaf && !is_shared) {
              data.activation_bytes += static_cast<std::int64_t>(tensor->nbytes());
            }
          }
        });
    data.hooks.emplace_back(&module, number);
  });
}

detail::SummaryRun::~SummaryRun() = default;

detail::SummaryRun::Data::~Data() {
  for (const auto& [module, number] : hooks) module->remove_hook(number);
  try {
    for (auto& [tensor, value] : values) {
      if (!tensor.equal(value)) tensor.copy_(value);
    }
    for (auto& [path, tensor] : lazy) {
      if (!is_lazy(tensor)) tensor.fill_(path.ends_with("running_var") ? 1 : 0);
    }
  } catch (const Error&) {
    // The elements of a lost device cannot be restored.
  }
}

std::string detail::SummaryRun::text() const {
  const Data& data = *data_;
  std::vector<std::vector<std::string>> rows = {
      {"Module", "Type", "Output shape", "Parameters", "Trainable"}};
  ModuleWalk::modules(data.root, [&](const std::string& path, const Module& module) {
    std::int64_t count = 0, trainable = 0;
    for (const Tensor& parameter : module.parameters(/*recurse=*/false)) {
      count += parameter.numel();
      trainable += parameter.requires_grad() ? parameter.numel() : 0;
    }
    const auto seen = data.seen.find(&module);
    std::string shapes = "-";
    if (seen != data.seen.end() && !seen->second.shapes.empty()) {
      shapes = seen->second.shapes;
      if (seen->second.calls > 1) shapes += " x" + std::to_string(seen->second.calls);
    }
    rows.push_back({path.empty() ? "(self)" : path, module.name(), std::move(shapes),
                    grouped(count),
                    count == 0           ? "-"
                    : trainable == count ? "yes"
                    : trainable == 0     ? "no"
                                         : "partly"});
  });
  return table(rows, /*numbers=*/3) + totals(data.root) +
         "Activations: " + grouped(data.activation_bytes) + " bytes\n";
}

Tensor detail::zeros_for(const Module& module, IntArrayRef sizes) {
  for (const Tensor& parameter : module.parameters()) {
    if (parameter.is_floating_point()) {
      return zeros(sizes, TensorOptions(parameter.dtype()).device(parameter.device()));
    }
  }
  return zeros(sizes);
}

}  // namespace tern::nn
