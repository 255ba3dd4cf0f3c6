#include <tern/train/tensorboard/detail/graph.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/base/error.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/generator.h>
#include <tern/nn/module/any_value.h>

namespace tern::train::detail {
namespace {

using nn::AnyValue;

/// Collects the tensors in an argument or result of a module.
template <class T>
void collect(const T& value, std::vector<Tensor>& tensors) {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (value.defined()) tensors.push_back(value);
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    for (const Tensor& tensor : value) collect(tensor, tensors);
  } else {
    std::apply([&](const auto&... parts) { (collect(parts, tensors), ...); }, value);
  }
}

template <class... Kinds>
void collect_any(const AnyValue& value, std::vector<Tensor>& tensors) {
  const auto add = [&](const auto* found) {
    if (found != nullptr) collect(*found, tensors);
  };
  (add(value.try_get<Kinds>()), ...);
}

std::vector<Tensor> tensors_of(const std::vector<AnyValue>& values) {
  using Two = std::tuple<Tensor, Tensor>;
  std::vector<Tensor> tensors;
  for (const AnyValue& value : values) {
    collect_any<Tensor, std::vector<Tensor>, Two, std::tuple<Tensor, Tensor, Tensor>,
                std::pair<Tensor, Tensor>, std::tuple<Tensor, Two>>(value, tensors);
  }
  return tensors;
}

/// Returns the class of a module as people write it: "Linear" for "tern::nn::LinearImpl".
std::string class_of(const nn::Module& module) {
  std::string name = module.name();
  const std::size_t arguments = name.find('<');
  const std::size_t scope = name.rfind("::", arguments);
  name = name.substr(0, arguments);
  if (scope != std::string::npos) name = name.substr(scope + 2);
  if (name.ends_with("Impl")) name.resize(name.size() - 4);
  return name;
}

/// A call of a layer.
struct Call {
  std::string name, op, text;
  std::vector<std::size_t> sources;  // calls whose results it uses
  std::vector<Tensor> outputs;
  std::int64_t parameters = 0;
};

/// Records the calls of layers while it lives: hooks and evaluation mode.
class GraphRecorder {
 public:
  GraphRecorder(nn::Module& root, const std::vector<Tensor>& inputs) : root_(root) {
    for (const auto& [name, module] : root.named_modules("", /*include_self=*/false).pairs()) {
      modules_.emplace_back(name, module.get());
    }
    if (modules_.empty()) modules_.emplace_back(class_of(root), &root);
    was_training_.push_back(root.is_training());
    for (const auto& [name, module] : modules_) was_training_.push_back(module->is_training());
    save_generator(kCPU);
    for (const Tensor& input : inputs) {
      if (kernels::traits_of(input.device()).has_generators) save_generator(input.device());
    }
    root.eval();
    for (const auto& [name, module] : modules_) {
      if (!module->named_children().is_empty()) continue;
      add_hook(*module, [this, name = name](nn::Module& layer, const std::vector<AnyValue>& given,
                                            AnyValue& output) {
        record(name, class_of(layer), &layer, tensors_of(given), tensors_of({output}));
      });
    }
    add_hook(root, [this](nn::Module&, const std::vector<AnyValue>&, AnyValue& output) {
      results_ = tensors_of({output});
    });
  }
  GraphRecorder(const GraphRecorder&) = delete;
  GraphRecorder& operator=(const GraphRecorder&) = delete;
  ~GraphRecorder() {
    for (const auto& [module, number] : hooks_) module->remove_hook(number);
    // Parents before children, because train() also changes the modules below.
    root_.train(was_training_[0]);
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      modules_[i].second->train(was_training_[i + 1]);
    }
    for (auto& [generator, state] : generators_) generator.set_state_bytes(state);
  }

  /// Records a call, whose outputs later calls may use. `layer` is null for inputs and the output.
  void record(std::string name, std::string op, const nn::Module* layer,
              const std::vector<Tensor>& inputs, std::vector<Tensor> outputs) {
    Call call{std::move(name), std::move(op), {}, {}, std::move(outputs)};
    std::ranges::replace(call.name, '.', '/');
    const int before = repeats_[call.name]++;
    if (before > 0) call.name += "_" + std::to_string(before);
    if (layer != nullptr) {
      call.text = tern::detail::text_of(*layer);
      for (const Tensor& parameter : layer->parameters()) call.parameters += parameter.numel();
    }
    std::set<std::size_t> sources;
    for (const Tensor& input : inputs) add_sources(input, sources);
    if (sources.empty() && !inputs.empty() && !calls_.empty()) sources.insert(calls_.size() - 1);
    call.sources.assign(sources.begin(), sources.end());
    for (const Tensor& output : call.outputs) {
      by_tensor_[output.unsafeGetTensorImpl()] = calls_.size();
      if (const auto node = output.grad_fn()) by_node_[node.get()] = calls_.size();
    }
    calls_.push_back(std::move(call));
  }

  /// Records the results of the whole module.
  void record_output() {
    if (!results_.empty()) record("output", "Output", nullptr, results_, {});
  }

  const std::vector<Call>& calls() const { return calls_; }

 private:
  void add_hook(nn::Module& module, nn::Module::ForwardHook hook) {
    hooks_.emplace_back(&module, module.register_forward_hook(std::move(hook)));
  }

  void save_generator(Device device) {
    Generator& generator = default_generator(device);
    generators_.emplace_back(generator, generator.state_bytes());
  }

  /// Adds the calls that made `tensor`, directly or through ops between layers.
  void add_sources(const Tensor& tensor, std::set<std::size_t>& sources) const {
    const auto made = by_tensor_.find(tensor.unsafeGetTensorImpl());
    if (made != by_tensor_.end()) {
      sources.insert(made->second);
      return;
    }
    std::set<const autograd::Node*> seen;
    const auto first = tensor.grad_fn();
    std::vector<const autograd::Node*> open = {first.get()};
    while (!open.empty()) {
      const autograd::Node* const node = open.back();
      open.pop_back();
      if (node == nullptr || !seen.insert(node).second) continue;
      const auto found = by_node_.find(node);
      if (found != by_node_.end()) {
        sources.insert(found->second);
        continue;
      }
      for (const autograd::Edge& edge : node->next_edges()) open.push_back(edge.function.get());
    }
  }

  nn::Module& root_;
  std::vector<std::pair<std::string, nn::Module*>> modules_;
  std::vector<bool> was_training_;  // of the root and of modules_
  std::vector<std::pair<Generator, std::vector<std::uint8_t>>> generators_;
  std::vector<std::pair<nn::Module*, unsigned>> hooks_;
  std::map<std::string, int> repeats_;
  std::vector<Call> calls_;
  // Calls keep their outputs, so no address is used twice.
  std::map<const void*, std::size_t> by_tensor_;
  std::map<const autograd::Node*, std::size_t> by_node_;
  std::vector<Tensor> results_;
};

Message shape_of(const Tensor& tensor) {
  Message shape;
  for (const std::int64_t size : tensor.sizes()) shape.message(2, Message().integer(1, size));
  return shape;
}

/// Returns the NodeDef of a call.
Message node_of(const Call& call, const std::vector<Call>& calls) {
  Message node;
  node.text(1, call.name).text(2, call.op);
  for (const std::size_t source : call.sources) node.text(3, calls[source].name);
  const auto attribute = [&](const char* name, const Message& value) {
    node.message(5, Message().text(1, name).message(2, value));
  };
  if (!call.outputs.empty()) {
    Message shapes;
    for (const Tensor& output : call.outputs) shapes.message(7, shape_of(output));
    attribute("_output_shapes", Message().message(1, shapes));
  }
  if (!call.text.empty()) attribute("module", Message().text(2, call.text));
  if (call.parameters > 0) attribute("parameters", Message().integer(3, call.parameters));
  return node;
}

}  // namespace

Message graph_of(nn::Module& module, const std::vector<Tensor>& inputs,
                 const std::function<void(const std::vector<Tensor>&)>& call) {
  const AutoGradMode grad_mode(true);
  GraphRecorder recorder(module, inputs);
  std::vector<Tensor> given;
  for (const Tensor& input : inputs) {
    TERN_CHECK(input.defined(), Error, "SummaryWriter: add_graph: an input is undefined");
    Tensor tensor = input.detach();
    // clone() gives the input a node of its own in the autograd graph.
    if (tensor.is_floating_point()) tensor = tensor.requires_grad_().clone();
    given.push_back(tensor);
    recorder.record("input", "Input", nullptr, {}, {tensor});
  }
  call(given);
  recorder.record_output();
  Message graph;
  for (const Call& layer : recorder.calls()) graph.message(1, node_of(layer, recorder.calls()));
  constexpr int kProducer = 22;  // the version of GraphDef that has all fields used here
  return graph.message(4, Message().integer(1, kProducer));
}

}  // namespace tern::train::detail
