#pragma once

// Names of torch::autograd that only programs for libtorch use.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tern/compat/names/at.h>
#include <tern/core/autograd/function.h>
#include <tern/core/autograd/node.h>
#include <tern/core/autograd/record.h>
#include <tern/core/autograd/saved_tensor.h>
#include <tern/core/ops/ops.h>

namespace tern::compat {

/// Makes each of the tensors the next output of `node`.
TERN_API void set_history(const std::vector<Tensor>& tensors,
                          const IntrusivePtr<autograd::Node>& node);
/// Returns copies of the inputs. If one of these requires a gradient, the copies are outputs of
/// `node`, which gets the edges of the inputs.
TERN_API std::vector<Tensor> passed_on(const std::vector<Tensor>& inputs,
                                       const IntrusivePtr<autograd::Node>& node);

}  // namespace tern::compat

namespace torch::autograd {

using ::tern::AutoGradMode;
using ::tern::GradMode;
/// The former name of a tensor with autograd.
using Variable = ::tern::Tensor;
/// A list of tensors.
using variable_list = std::vector<Variable>;
/// A list of tensors, such as the gradients of a Function.
using tensor_list = variable_list;
/// A pointer to a node. In libtorch 2.15 the same kind of pointer; `std::shared_ptr<Node>`
/// converts.
using NodePtr = ::tern::IntrusivePtr<Node>;

/// How a view was made, which decides whether an op may change it in place.
enum class CreationMeta : std::uint8_t {
  DEFAULT,
  IN_CUSTOM_FUNCTION,
  MULTI_OUTPUT_NODE,
  NO_GRAD_MODE,
  INFERENCE_MODE
};

/// Returns a leaf with the elements of `data` and a version counter of its own. An undefined tensor
/// stays undefined.
inline Variable make_variable(const ::tern::Tensor& data, bool requires_grad = false,
                              bool /*allow_tensor_metadata_change*/ = true) {
  if (!data.defined()) return {};
  Variable variable = data.data();
  variable.set_requires_grad(requires_grad);
  return variable;
}
/// Returns a tensor with the elements of `data` that is the output of `edge`.
inline Variable make_variable(const ::tern::Tensor& data, const Edge& edge,
                              bool /*allow_tensor_metadata_change*/ = true) {
  if (!data.defined()) return {};
  Variable variable = data.data();
  ::tern::autograd::set_history(variable, edge.function, edge.input_nr);
  return variable;
}

/// Makes each of the tensors the next output of `node`.
template <class Pointer>
requires std::is_convertible_v<Pointer, NodePtr>
void set_history(const Variable& variable, const Pointer& node) {
  if (!variable.defined()) return;
  ::tern::autograd::set_history(variable, node, node->add_input_metadata(variable));
}
template <class Pointer>
requires std::is_convertible_v<Pointer, NodePtr>
void set_history(const std::vector<Variable>& variables, const Pointer& node) {
  ::tern::compat::set_history(variables, node);
}
/// Does the same as set_history().
inline void create_gradient_edge(Variable& variable, const NodePtr& node) {
  torch::autograd::set_history(variable, node);
}

/// Returns true when one of the tensors requires a gradient.
inline bool any_variable_requires_grad(const variable_list& variables) {
  for (const Variable& variable : variables) {
    if (variable.defined() && variable.requires_grad()) return true;
  }
  return false;
}

/// The deleter of nodes, for std::shared_ptr.
inline void deleteNode(Node* node) { delete node; }

/// A node that throws when backward reaches it.
struct Error : public Node {
  /// Takes the text of the error.
  explicit Error(std::string msg, edge_list&& next_edges = {})
      : Node(std::move(next_edges)), msg_(std::move(msg)) {}
  /// Throws Error with the text.
  variable_list apply(variable_list&& /*gradients*/) override { throw ::tern::Error(msg_); }

 private:
  std::string msg_;
};

/// The node of a function without a derivative.
struct NotImplemented : public Error {
  /// Takes the name of the function.
  explicit NotImplemented(const std::string& forward_fn, edge_list&& next_edges = {})
      : Error("derivative for " + forward_fn + " is not implemented", std::move(next_edges)) {}
};

/// Passes its inputs on. Backward through the results throws.
struct DelayedError : public Node {
  /// Takes the text of the error and the number of inputs.
  DelayedError(std::string msg, std::int64_t /*num_inputs*/) : msg_(std::move(msg)) {}
  /// Returns copies of the inputs, whose gradients an Error node takes.
  variable_list apply(variable_list&& inputs) override {
    return ::tern::compat::passed_on(inputs, NodePtr(new Error(msg_)));
  }

 private:
  std::string msg_;
};

/// The node of UndefinedGrad: returns undefined gradients.
struct UndefinedGradBackward : public Node {
  /// Takes the edges.
  explicit UndefinedGradBackward(edge_list&& next_edges = {}) : Node(std::move(next_edges)) {}
  /// Returns undefined gradients.
  variable_list apply(variable_list&& gradients) override {
    return variable_list(gradients.size());
  }
};

/// Passes its inputs on. Backward through the results gives no gradient.
struct UndefinedGrad : public Node {
  /// Returns copies of the inputs that pass no gradient on.
  variable_list apply(variable_list&& inputs) override {
    return ::tern::compat::passed_on(inputs, NodePtr(new UndefinedGradBackward()));
  }
};

/// A node that passes gradients on.
struct Identity : public Node {
  using Node::Node;
  /// Returns the gradients.
  variable_list apply(variable_list&& gradients) override { return std::move(gradients); }
};

/// A node that adds gradients to the grad() of a leaf.
struct AccumulateGrad : public Node {
  /// Takes the leaf.
  explicit AccumulateGrad(Variable leaf) : variable(std::move(leaf)) {
    add_input_metadata(variable);
  }
  /// Adds the gradient to that of the leaf.
  variable_list apply(variable_list&& gradients) override {
    return (*gradient_edge(variable).function)(std::move(gradients));
  }

  /// The leaf.
  Variable variable;
};

/// A tensor that a node saves for backward.
class SavedVariable {
 public:
  SavedVariable() = default;
  /// Saves a tensor; `is_output` says that the node itself made it.
  SavedVariable(const Variable& variable, bool is_output, bool /*is_inplace_on_view*/ = false)
      : saved_(variable, is_output), is_default_(false) {}
  SavedVariable(const std::optional<Variable>& variable, bool is_output, bool is_inplace = false)
      : SavedVariable(variable.value_or(Variable()), is_output, is_inplace) {}

  /// Returns the tensor with its history; `saved_for` is the node that saved it.
  /// Throws Error after reset_data().
  Variable unpack(const NodePtr& saved_for = nullptr) const {
    if (is_reset_) ::tern::autograd::detail::throw_backward_twice();
    return saved_.unpack(saved_for.get(), /*with_history=*/true);
  }
  /// Frees the tensor.
  void reset_data() {
    saved_.reset();
    is_reset_ = true;
  }
  /// Returns true for a default-made object.
  bool was_default_constructed() const { return is_default_; }

 private:
  ::tern::autograd::SavedTensor saved_;
  bool is_default_ = true, is_reset_ = false;
};

namespace impl {

/// The counter of in-place changes of a tensor.
class VersionCounter {
 public:
  /// Takes the tensor.
  explicit VersionCounter(Variable variable) : variable_(std::move(variable)) {}
  /// Returns the number of changes.
  std::uint32_t current_version() const { return static_cast<std::uint32_t>(variable_._version()); }
  /// Counts one more.
  void bump() const { variable_.self().storage->bump_version(); }
  /// Returns false for an inference tensor.
  bool enabled() const { return !variable_.is_inference(); }

 private:
  Variable variable_;
};

using ::tern::autograd::gradient_edge;
/// Returns the node that fills the grad() of a leaf; null if the leaf requires no gradient.
inline NodePtr try_get_grad_accumulator(const Variable& variable) {
  const Edge edge = gradient_edge(variable);
  return edge.function && edge.function->is_accumulator() ? edge.function : NodePtr();
}
/// Returns the same. Throws Error for a result of ops.
inline NodePtr grad_accumulator(const Variable& variable) {
  if (variable.grad_fn()) {
    throw std::logic_error("grad_accumulator() should be only called on leaf Variables");
  }
  return try_get_grad_accumulator(variable);
}
/// Returns grad_fn() without an owner.
inline Node* grad_fn_unsafe(const Variable& variable) { return variable.grad_fn().get(); }
/// Makes `variable` the output of `edge`.
inline void set_gradient_edge(const Variable& variable, const Edge& edge) {
  ::tern::autograd::set_history(variable, edge.function, edge.input_nr);
}
/// Counts an in-place change.
inline void bump_version(const Variable& variable) { variable.self().storage->bump_version(); }
/// Returns the counter of a tensor.
inline VersionCounter version_counter(const Variable& variable) { return VersionCounter(variable); }

}  // namespace impl
}  // namespace torch::autograd
