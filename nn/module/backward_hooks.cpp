#include <tuple>
#include <utility>
#include <vector>

#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/base/detail/type_name.h>
#include <tern/nn/detail/hooks.h>
#include <tern/nn/module.h>

// Backward hooks: two nodes in the graph, before the module's ops and after them, which copy
// gradients and run the hooks.

namespace tern::nn::detail {

class BackwardCall {
 public:
  using Gradients = ModuleHooks::Gradients;

  BackwardCall(Module& module, std::shared_ptr<const Hooks> hooks, std::size_t inputs)
      : module_(&module),
        owner_(module.weak_from_this()),
        is_owned_(!owner_.expired()),
        hooks_(std::move(hooks)),
        inputs_(inputs) {}

  /// Gives the tensors in `slots` that require a gradient a new node. Returns true if there is any.
  static bool add_node(const std::shared_ptr<BackwardCall>& call, const std::vector<Tensor*>& slots,
                       bool is_input);

  /// Runs the pre-hooks on the gradients of the outputs.
  void on_outputs(Gradients& gradients);
  /// Runs the hooks on the gradients of the inputs.
  void on_inputs(Gradients& gradients);

 private:
  /// Returns the gradients of the tensors at `slots` in a list of `size` gradients.
  static Gradients spread(const Gradients& gradients, const std::vector<std::size_t>& slots,
                          std::size_t size) {
    Gradients all(size);
    for (std::size_t i = 0; i < slots.size(); ++i) all[slots[i]] = gradients[i];
    return all;
  }

  Module* module_;
  std::weak_ptr<Module> owner_;  // weak: a module may keep its own output
  bool is_owned_;                // false for a module on the stack
  std::shared_ptr<const Hooks> hooks_;
  std::size_t inputs_, outputs_ = 0;
  std::vector<std::size_t> input_slots_, output_slots_;  // the tensors that have a node
  std::optional<Gradients> grad_outputs_;                // from the outputs' node to the inputs'
};

namespace {

/// Copies gradients and runs hooks on them.
class BackwardHookNode final : public autograd::NamedNode {
 public:
  using Rule = void (BackwardCall::*)(BackwardCall::Gradients& gradients);

  BackwardHookNode(std::unique_ptr<autograd::Edge[]> edges, std::size_t count,
                   std::shared_ptr<BackwardCall> call, Rule rule)
      : NamedNode("BackwardHookFunctionBackward", edges.get(), count),
        edges_(std::move(edges)),
        call_(std::move(call)),
        rule_(rule) {}

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet /*wanted*/) override {
    BackwardCall::Gradients copy(gradients, gradients + output_count());
    ((*call_).*rule_)(copy);
    std::move(copy.begin(), copy.end(), results);
  }

 private:
  std::unique_ptr<autograd::Edge[]> edges_;
  std::shared_ptr<BackwardCall> call_;
  Rule rule_;
};

/// Appends the elements of a tuple, null for those that are no tensor. Returns false for another
/// type.
template <class... Ts>
bool tuple_slots(AnyValue& value, std::vector<Tensor*>& slots) {
  const auto slot = [](auto& element) -> Tensor* {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(element)>, Tensor>) {
      return &element;
    } else {
      return nullptr;
    }
  };
  auto* const tuple = value.try_get<std::tuple<Ts...>>();
  if (tuple == nullptr) return false;
  std::apply([&](auto&... elements) { (slots.push_back(slot(elements)), ...); }, *tuple);
  return true;
}

}  // namespace

bool output_tensors(AnyValue& output, std::vector<Tensor*>& tensors) {
  using Pair = std::tuple<Tensor, Tensor>;
  if (Tensor* tensor = output.try_get<Tensor>()) {
    tensors.push_back(tensor);
  } else if (auto* vector = output.try_get<std::vector<Tensor>>()) {
    for (Tensor& element : *vector) tensors.push_back(&element);
  } else if (auto* pair = output.try_get<std::pair<Tensor, Tensor>>()) {
    tensors.push_back(&pair->first);
    tensors.push_back(&pair->second);
  } else {
    return tuple_slots<Tensor, Tensor>(output, tensors) ||
           tuple_slots<Tensor, Tensor, Tensor>(output, tensors) ||
           tuple_slots<Tensor, Pair>(output, tensors) || tuple_slots<Tensor>(output, tensors);
  }
  return true;
}

bool BackwardCall::add_node(const std::shared_ptr<BackwardCall>& call,
                            const std::vector<Tensor*>& slots, bool is_input) {
  std::vector<std::size_t>& hooked = is_input ? call->input_slots_ : call->output_slots_;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool needs_grad = slots[i] != nullptr && slots[i]->defined() && slots[i]->requires_grad();
    if (needs_grad) hooked.push_back(i);
  }
  if (!is_input) call->outputs_ = slots.size();
  if (hooked.empty()) return false;
  auto edges = std::make_unique<autograd::Edge[]>(hooked.size());
  for (std::size_t i = 0; i < hooked.size(); ++i) {
    edges[i] = autograd::gradient_edge(*slots[hooked[i]]);
  }
  const IntrusivePtr<autograd::Node> node(
      new BackwardHookNode(std::move(edges), hooked.size(), call,
                           is_input ? &BackwardCall::on_inputs : &BackwardCall::on_outputs));
  for (std::size_t i = 0; i < hooked.size(); ++i) {
    Tensor& tensor = *slots[hooked[i]];
    const Tensor alias = autograd::as_piece(tensor, tern::detail::make_alias(tensor));
    autograd::set_history(alias, node, static_cast<std::uint32_t>(i));
    tensor = alias;
  }
  return true;
}

void BackwardCall::on_outputs(Gradients& gradients) {
  const std::shared_ptr<Module> owner = owner_.lock();
  if (is_owned_ && owner == nullptr) return;
  Gradients all = spread(gradients, output_slots_, outputs_);
  for (const auto& [number, hook] : hooks_->backward_before) {
    std::optional<Gradients> result = hook(*module_, all);
    if (!result) continue;
    TERN_CHECK(result->size() == all.size(), Error,
               "Backward pre hook returned an invalid number of grad_output, got ", result->size(),
               ", but expected ", all.size());
    all = std::move(*result);
  }
  for (std::size_t i = 0; i < output_slots_.size(); ++i) gradients[i] = all[output_slots_[i]];
  if (!input_slots_.empty()) {
    grad_outputs_ = std::move(all);
    return;
  }
  const Gradients none(inputs_);  // no input requires a gradient
  for (const auto& [number, hook] : hooks_->backward) {
    const std::optional<Gradients> result = hook(*module_, none, all);
    for (const Tensor& tensor : result.value_or(Gradients())) {
      TERN_CHECK(!tensor.defined(), Error,
                 "Backward hook for Modules where no input requires gradient should always return "
                 "None or None for all gradients.");
    }
  }
}

void BackwardCall::on_inputs(Gradients& gradients) {
  const std::shared_ptr<Module> owner = owner_.lock();
  // A gradient may reach the inputs without passing the outputs, in a double backward.
  if (!grad_outputs_ || (is_owned_ && owner == nullptr)) return;
  const Gradients grad_outputs = std::move(*grad_outputs_);
  grad_outputs_.reset();
  Gradients all = spread(gradients, input_slots_, inputs_);
  for (const auto& [number, hook] : hooks_->backward) {
    std::optional<Gradients> result = hook(*module_, all, grad_outputs);
    if (!result) continue;
    TERN_CHECK(result->size() == all.size(), Error,
               "Backward hook returned an invalid number of grad_input, got ", result->size(),
               ", but expected ", all.size());
    all = std::move(*result);
  }
  for (std::size_t i = 0; i < input_slots_.size(); ++i) gradients[i] = all[input_slots_[i]];
}

std::shared_ptr<BackwardCall> start_backward_call(Module& module,
                                                  const std::shared_ptr<const Hooks>& hooks,
                                                  std::vector<AnyValue>& inputs) {
  if (hooks == nullptr || !hooks->has_backward() || !GradMode::records()) return nullptr;
  std::vector<Tensor*> slots;
  slots.reserve(inputs.size());
  for (AnyValue& input : inputs) slots.push_back(input.try_get<Tensor>());
  auto call = std::make_shared<BackwardCall>(module, hooks, inputs.size());
  BackwardCall::add_node(call, slots, /*is_input=*/true);
  return call;
}

void finish_backward_call(const std::shared_ptr<BackwardCall>& call, AnyValue& output) {
  if (call == nullptr) return;
  std::vector<Tensor*> slots;
  TERN_CHECK(output_tensors(output, slots), Error,
             "For backward hooks to be called, module output should be a Tensor or a tuple of "
             "Tensors but received ",
             tern::detail::type_name(output.type_info()));
  BackwardCall::add_node(call, slots, /*is_input=*/false);
}

}  // namespace tern::nn::detail
