#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/own_ptr.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

class Node;

/// The destination of a gradient: a node and one of its outputs.
struct Edge {
  /// Makes an edge that leads nowhere.
  Edge() = default;
  /// Leads to output `nr` of the op of `node`.
  Edge(IntrusivePtr<Node> node, std::uint32_t nr) : function(std::move(node)), input_nr(nr) {}

  /// Returns true unless no gradient is needed.
  bool is_valid() const { return static_cast<bool>(function); }
  /// Compares node and number.
  friend bool operator==(const Edge& a, const Edge& b) = default;

  /// The node; null when no gradient is needed.
  IntrusivePtr<Node> function;
  /// The index among the outputs of the node's op, which are the inputs of the node.
  std::uint32_t input_nr = 0;
};
/// Several edges.
using edge_list = std::vector<Edge>;

/// Sizes, dtype and device of a tensor that a node's op made. The tensor's gradient must match
/// them.
struct OutputInfo {
  /// Sizes of the tensor.
  DimVector sizes;
  /// Dtype of the tensor.
  ScalarType dtype = kFloat;
  /// Device of the tensor.
  Device device = kCPU;
};

/// A set of a node's edges: those whose gradients a backward pass wants.
class EdgeSet {
 public:
  /// Adds an edge.
  void add(std::size_t edge) {
    if (edge < kCounted) bits_ |= std::uint64_t{1} << edge;
  }
  /// Returns true if the edge is in the set. Edges from number 64 on always are.
  bool has(std::size_t edge) const { return edge >= kCounted || (bits_ >> edge & 1) != 0; }

 private:
  static constexpr std::size_t kCounted = 64;
  std::uint64_t bits_ = 0;
};

/// A function that receives a gradient during backward; a defined result replaces the gradient.
using Hook = std::function<Tensor(const Tensor&)>;

/// The gradient rule of one recorded op. A node receives the gradients of the op's outputs and
/// returns the gradients of the op's inputs.
///
/// A node owns its saved tensors, and no saved tensor owns the node, so a graph has no cycles.
/// Nodes are freed in a loop without recursion, however long the chain is.
///
/// A program may write nodes of its own, although a Function is usually shorter: a class with an
/// apply() that is made with `std::make_shared`, gets its edges from collect_next_edges() and
/// becomes the grad_fn() of a tensor by set_history().
class TERN_API Node : public RefCounted {
 public:
  ~Node() override;

  /// Computes the gradients of the op's inputs. `gradients` has one tensor per output of the op,
  /// undefined if no gradient arrived. `results` takes one tensor per edge; one whose edge is not
  /// `wanted` is ignored and may stay undefined. A class overrides this function or apply().
  virtual void run(const Tensor* gradients, Tensor* results, EdgeSet wanted);
  /// Takes the gradients of the op's outputs and returns those of its inputs, one for each edge.
  virtual std::vector<Tensor> apply(std::vector<Tensor>&& gradients);
  /// Does the same as apply().
  std::vector<Tensor> operator()(std::vector<Tensor>&& gradients) {
    return apply(std::move(gradients));
  }
  /// Returns the rule's name as PyTorch spells it: MulBackward0. Of a program's class, the name of
  /// its type.
  virtual std::string name() const;
  /// Returns name() if that is a string literal; null otherwise. Profiles then need no copy.
  virtual const char* literal_name() const { return nullptr; }
  /// Frees the saved tensors. A later apply() throws Error if there were any.
  virtual void release_saved() {}
  /// Returns true for the node of a leaf, which adds gradients to the leaf's grad().
  virtual bool is_accumulator() const { return false; }

  /// Returns the destinations of the results of apply(): one edge per input of the op.
  ArrayRef<Edge> next_edges() const { return {edges_, edge_count_}; }
  /// Returns one of them.
  const Edge& next_edge(std::size_t index) const { return next_edges()[index]; }
  /// Returns the number of next_edges().
  std::uint32_t num_outputs() const { return static_cast<std::uint32_t>(edge_count_); }
  /// Returns the same as output_count().
  std::uint32_t num_inputs() const { return output_count(); }
  /// Returns true when the gradient of input `index` of the op is needed.
  bool should_compute_output(std::size_t index) const { return next_edge(index).is_valid(); }
  /// Does the same: a backward pass asks a program's node for all gradients that are needed.
  bool task_should_compute_output(std::size_t index) const { return should_compute_output(index); }
  /// Returns a pointer to this node, which one more owner keeps. Throws Error in a node that only a
  /// `std::shared_ptr` owns.
  IntrusivePtr<Node> getptr();
  /// Replaces one of the edges of a program's node.
  void set_next_edge(std::size_t index, Edge edge);
  /// Replaces the edges of a program's node.
  void set_next_edges(edge_list edges);
  /// Adds an edge to those of a program's node.
  void add_next_edge(Edge edge);
  /// Makes `output` the next output of the op and returns its number.
  std::uint32_t add_input_metadata(const Tensor& output);
  /// Returns the number of the op's outputs, which is the number of gradients that arrive.
  std::uint32_t output_count() const { return 1 + static_cast<std::uint32_t>(more_.size()); }
  /// Returns the sizes, dtype and device of output `nr`.
  const OutputInfo& output_info(std::uint32_t nr) const { return nr == 0 ? first_ : more_[nr - 1]; }
  /// Sets the info of output `nr` to the sizes, dtype and device of `output`.
  void set_output_info(std::uint32_t nr, const Tensor& output);
  /// Returns the number of the node, which grows in program order. Backward runs later ops first.
  std::uint64_t sequence_nr() const { return sequence_nr_; }

  /// A hook on one output.
  struct OutputHook {
    /// The index of the output.
    std::uint32_t output_nr;
    /// The function; empty after remove_hook(), so that the others keep their numbers.
    Hook hook;
    /// True for the hook of retain_grad(), which runs after the others and has no number.
    bool is_last;
  };
  /// Adds a hook to an output and returns its number, which counts the output's hooks from 0. Hooks
  /// run in the order in which they were added.
  unsigned add_hook(std::uint32_t output_nr, Hook hook);
  /// Removes the hook with this number. Returns false if the output never had one.
  bool remove_hook(std::uint32_t output_nr, unsigned number);
  /// Adds the hook of retain_grad() to an output.
  void add_last_hook(std::uint32_t output_nr, Hook hook);
  /// Removes the hook of retain_grad() from an output.
  void remove_last_hook(std::uint32_t output_nr);
  /// Returns `gradient` after all hooks of the output have run.
  Tensor run_hooks(std::uint32_t output_nr, Tensor gradient) const;
  /// Returns true when a hook was added.
  bool has_hooks() const { return extra_ != nullptr && !extra_->hooks.empty(); }

  /// Returns the op and the module of the forward pass that recorded this node: "op mul in module
  /// 'fc1' (Linear)". Empty unless AnomalyMode was enabled then.
  const std::string& origin() const;
  /// Sets what origin() returns.
  void set_origin(std::string text);

  /// Returns a pointer that keeps `node`, which std::make_shared() made.
  static IntrusivePtr<Node> share(std::shared_ptr<Node> node);

  /// Allocates the node from recycled memory.
  static void* operator new(std::size_t size) { return tern::detail::allocate_object(size); }
  /// Gives the node's memory back.
  static void operator delete(void* pointer, std::size_t size) noexcept {
    tern::detail::free_object(pointer, size);
  }

 protected:
  /// The node owns its edges: for the classes of programs.
  explicit Node(edge_list next_edges = {});
  /// The derived class owns `edges`.
  Node(Edge* edges, std::size_t count);
  Node(Edge* edges, std::size_t count, std::uint64_t sequence_nr)
      : edges_(edges), edge_count_(count), sequence_nr_(sequence_nr) {}
  void destroy() noexcept override;

 private:
  Edge* edges_;
  std::size_t edge_count_;
  std::uint64_t sequence_nr_;
  OutputInfo first_;
  std::vector<OutputInfo> more_;
  // What few nodes have.
  struct Extra {
    std::vector<OutputHook> hooks;
    std::string origin;
    edge_list edges;              // of a program's node
    std::uint32_t added = 0;      // outputs by add_input_metadata()
    std::shared_ptr<void> owner;  // of a node that std::make_shared() made, while it is shared
  };
  Extra& extra();
  OwnPtr<Extra> extra_;
  Node* next_dying_ = nullptr;
};

/// A node whose name is a string literal.
class TERN_API NamedNode : public Node {
 public:
  std::string name() const override;
  const char* literal_name() const override { return name_; }

 protected:
  /// The derived class owns `edges`; `name` must be a string literal.
  NamedNode(const char* name, Edge* edges, std::size_t count) : Node(edges, count), name_(name) {}

 private:
  const char* name_;
};

/// Returns the rule that made `tensor`, the accumulator of a leaf that requires grad, or an empty
/// edge. A view whose base was changed in place gets a new rule first.
TERN_API Edge gradient_edge(const Tensor& tensor);

/// Returns the gradient_edge() of each tensor; an empty edge for an undefined tensor.
template <class... Tensors>
edge_list collect_next_edges(const Tensors&... tensors) {
  edge_list edges;
  const auto add = [&](const Tensor& tensor) {
    edges.push_back(tensor.defined() ? gradient_edge(tensor) : Edge());
  };
  const auto add_all = [&](const auto& argument) {
    if constexpr (std::is_convertible_v<decltype(argument), const Tensor&>) {
      add(argument);
    } else {
      for (const Tensor& tensor : argument) add(tensor);
    }
  };
  (add_all(tensors), ...);
  return edges;
}

/// Makes `tensor` output `nr` of `node`.
TERN_API void set_history(const Tensor& tensor, IntrusivePtr<Node> node, std::uint32_t nr = 0);

}  // namespace tern::autograd
