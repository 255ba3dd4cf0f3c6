#include <algorithm>
#include <utility>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/function.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/detail/type_name.h>

namespace tern::autograd {

namespace detail {
namespace {

bool contains(const variable_list& tensors, const Tensor& tensor) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const Tensor& other) { return other.is_same(tensor); });
}

// Returns the name of the class and "Backward", as in Python.
std::string node_name(const std::type_info& function) {
  std::string name = tern::detail::type_name(function);
  if (tern::detail::as_libtorch) return "torch::autograd::CppNode<" + name + ">";
  name.erase(std::min(name.find('<'), name.size()));
  const std::size_t colon = name.rfind(':');
  return name.substr(colon == std::string::npos ? 0 : colon + 1) + "Backward";
}

// The node of the Function whose backward() this thread runs, and the gradients that the pass
// wants. Not in the node: several threads may run it at once.
struct Running {
  const Node* node = nullptr;
  EdgeSet wanted;
};
thread_local Running running;

class RunningScope {
 public:
  RunningScope(const Node* node, EdgeSet wanted)
      : outer_(std::exchange(running, Running{node, wanted})) {}
  ~RunningScope() { running = outer_; }
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  Running outer_;
};

}  // namespace

/// The node of a Function.
class FunctionNode final : public Node {
 public:
  FunctionNode(std::string name, FunctionCall::Backward backward, const variable_list& inputs,
               std::vector<unsigned char> is_tensor)
      : FunctionNode(std::move(name), backward, std::make_unique<Edge[]>(inputs.size()),
                     inputs.size(), std::move(is_tensor)) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].defined()) edges_[i] = gradient_edge(inputs[i]);
    }
  }

  void run(const Tensor* gradients, Tensor* results, EdgeSet wanted) override;
  std::string name() const override { return name_; }
  void release_saved() override {
    released_ = released_ || !saved_.empty();
    saved_.clear();
  }

  AutogradContext* context() { return &context_; }
  void save(const variable_list& outputs) {
    for (const Tensor& tensor : context_.to_save_) {
      saved_.emplace_back(tensor, tensor.defined() && contains(outputs, tensor));
    }
    context_.to_save_.clear();
  }
  // Edges that the running backward pass wants; outside of one, edges that need a gradient.
  bool wants(std::size_t edge) const {
    return edges_[edge].function && (running.node != this || running.wanted.has(edge));
  }
  variable_list unpack() {
    if (released_) throw_backward_twice();
    variable_list tensors;
    for (const SavedTensor& saved : saved_) {
      tensors.push_back(saved.unpack(this, /*with_history=*/true));
    }
    return tensors;
  }

 private:
  FunctionNode(std::string name, FunctionCall::Backward backward, std::unique_ptr<Edge[]> edges,
               std::size_t count, std::vector<unsigned char> is_tensor)
      : Node(edges.get(), count),
        name_(std::move(name)),
        backward_(backward),
        edges_(std::move(edges)),
        is_tensor_(std::move(is_tensor)) {
    context_.node_ = this;
  }

  std::string name_;
  FunctionCall::Backward backward_;
  std::unique_ptr<Edge[]> edges_;
  std::vector<unsigned char> is_tensor_;  // per argument of forward
  AutogradContext context_;
  std::vector<SavedTensor> saved_;
  bool released_ = false;
};

void FunctionNode::run(const Tensor* gradients, Tensor* results, EdgeSet wanted) {
  variable_list given(gradients, gradients + output_count());
  if (context_.materializes_) {
    for (std::uint32_t i = 0; i < given.size(); ++i) {
      if (given[i].defined()) continue;
      const OutputInfo& info = output_info(i);
      given[i] = tern::detail::make_tensor(info.sizes, info.dtype, info.device).zero_();
    }
  }
  variable_list computed;
  {
    const RunningScope scope(this, wanted);
    computed = backward_(&context_, std::move(given));
  }
  // As in libtorch, more gradients are accepted if they are undefined: those of default arguments.
  while (computed.size() > is_tensor_.size() && !computed.back().defined()) computed.pop_back();
  TERN_CHECK(computed.size() == is_tensor_.size(), Error, "function ", name_,
             " returned an incorrect number of gradients (expected ", is_tensor_.size(), ", got ",
             computed.size(), ")");
  std::size_t edge = 0;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (is_tensor_[i]) {
      results[edge++] = std::move(computed[i]);
    } else {
      TERN_CHECK(!computed[i].defined(), Error, "function ", name_,
                 " returned a gradient different from None at position ", i,
                 ", but the corresponding forward input was not a Variable");
    }
  }
}

FunctionCall::FunctionCall(const std::type_info& function, Backward backward)
    : function_(function), backward_(backward) {}
FunctionCall::~FunctionCall() { restore_mode(); }

void FunctionCall::restore_mode() {
  if (std::exchange(runs_forward_, false)) GradMode::set_enabled(mode_before_);
}

void FunctionCall::add(const Tensor& tensor) {
  inputs_.push_back(tensor);
  is_tensor_.push_back(1);
  recorded_ = recorded_ || (tensor.defined() && tensor.requires_grad() && GradMode::records());
}
void FunctionCall::add(const std::optional<Tensor>& tensor) { add(tensor.value_or(Tensor())); }
void FunctionCall::add(const variable_list& tensors) {
  for (const Tensor& tensor : tensors) add(tensor);
}
void FunctionCall::add_other() { is_tensor_.push_back(0); }

AutogradContext* FunctionCall::start() {
  node_ = IntrusivePtr<FunctionNode>(
      new FunctionNode(node_name(function_), backward_,
                       recorded_ ? inputs_ : variable_list(inputs_.size()), is_tensor_));
  mode_before_ = GradMode::is_enabled();
  runs_forward_ = true;
  GradMode::set_enabled(false);
  return node_->context();
}

void FunctionCall::finish(variable_list& outputs) {
  restore_mode();
  // Taken out of the context: a node that keeps an output of its own would never be freed.
  AutogradContext& context = *node_->context();
  const variable_list dirty = std::exchange(context.dirty_, {});
  const variable_list without_gradient = std::exchange(context.without_gradient_, {});
  const std::string& name = node_->name();
  for (const Tensor& input : dirty) {
    TERN_CHECK(contains(outputs, input), Error, name,
               ": Some elements marked as dirty during the forward method were not returned as "
               "output. The inputs that are modified inplace must all be outputs of the Function.");
    input.self().storage->bump_version();
    if (!recorded_) continue;
    const Edge edge = gradient_edge(input);
    TERN_CHECK(!edge.function || !edge.function->is_accumulator(), Error,
               "a leaf Variable that requires grad has been used in an in-place operation.");
    TERN_CHECK(!input.is_view(), NotImplementedError, name,
               ": mark_dirty() takes no view of another tensor. Change the view's base, or return "
               "a new tensor.");
  }
  std::size_t differentiable = 0;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    Tensor& output = outputs[i];
    if (!output.defined()) continue;
    const bool is_dirty = contains(dirty, output);
    const bool has_gradient =
        recorded_ && output.is_floating_point() && !contains(without_gradient, output);
    // A tensor that forward returns as it got it keeps its own history; the result is a view of it.
    const bool is_known =
        contains(inputs_, output) || (output.requires_grad() && !output.is_view());
    if (is_known && !is_dirty) {
      const bool is_cut = !has_gradient && (recorded_ || output.requires_grad());
      output = is_cut ? output.detach() : as_view(output, tern::detail::make_alias(output));
    }
    if (has_gradient) {
      ++differentiable;
      set_history(output, node_, i);
    } else if (recorded_) {
      node_->set_output_info(i, output);
    }
  }
  for (const Tensor& output : outputs) {
    const bool has_gradient = recorded_ && output.defined() && output.grad_fn() == node_;
    if (has_gradient && output.is_view() && !contains(dirty, output)) {
      mark_function_view(output, differentiable == 1);
    }
  }
  if (recorded_) node_->save(outputs);
}

}  // namespace detail

AutogradContext::AutogradContext()
    : saved_data(*new std::unordered_map<std::string, SavedValue>()) {}
AutogradContext::~AutogradContext() { delete &saved_data; }

variable_list AutogradContext::get_saved_variables() const { return node_->unpack(); }

bool AutogradContext::needs_input_grad(std::size_t index) const {
  const ArrayRef<Edge> edges = node_->next_edges();
  TERN_CHECK(index < edges.size(), IndexError, "needs_input_grad: index ", index,
             " is out of range for ", edges.size(), " tensors");
  return node_->wants(index);
}

}  // namespace tern::autograd
