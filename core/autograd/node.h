#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

class Node;

/// Where a gradient goes: the rule that made a tensor, and which of its outputs that was.
struct Edge {
  IntrusivePtr<Node> node;
  std::uint32_t output_nr = 0;
};

/// What a node knows of a tensor it made: gradients for it must have this form.
struct OutputInfo {
  DimVector sizes;
  ScalarType dtype = kFloat;
  Device device = kCPU;
};

using Hook = std::function<Tensor(const Tensor&)>;

/// One gradient rule on the tape: it gets the gradients of what an op made and returns those of
/// what the op read. A node owns what it keeps and nothing that it keeps owns it, so a graph has
/// no cycles; nodes die one after the other without recursion, however long the chain.
class TERN_API Node : public RefCounted {
 public:
  ~Node() override;

  /// Gradients of the op's inputs, one per edge; undefined where none is needed. `gradients` has
  /// one per output of the op, undefined where nothing came.
  virtual void apply(const Tensor* gradients, Tensor* results) = 0;
  /// The gradient's name as PyTorch spells it: MulBackward0.
  virtual std::string name() const = 0;
  /// Drops what the rule kept for backward; a later apply() throws.
  virtual void release_kept() {}
  virtual bool is_accumulator() const { return false; }

  ArrayRef<Edge> next_edges() const { return {edges_, edge_count_}; }
  /// The number of outputs of the op, that is of gradients that come in.
  std::uint32_t output_count() const { return 1 + static_cast<std::uint32_t>(more_.size()); }
  const OutputInfo& output_info(std::uint32_t nr) const { return nr == 0 ? first_ : more_[nr - 1]; }
  void set_output_info(std::uint32_t nr, const Tensor& output);
  /// Grows along the program: later ops are differentiated first.
  std::uint64_t sequence_nr() const { return sequence_nr_; }

  struct OutputHook {
    std::uint32_t output_nr;
    unsigned number;
    Hook hook;
    bool is_last;
  };
  /// Hooks run in the order they came, those that are `last` (retain_grad's) after the others.
  unsigned add_hook(std::uint32_t output_nr, Hook hook, bool is_last = false);
  void remove_hook(unsigned number);
  /// `gradient` after the hooks of this output.
  Tensor run_hooks(std::uint32_t output_nr, Tensor gradient) const;
  bool has_hooks() const { return hooks_ != nullptr; }

  static void* operator new(std::size_t size) { return tern::detail::allocate_object(size); }
  static void operator delete(void* pointer, std::size_t size) noexcept {
    tern::detail::free_object(pointer, size);
  }

 protected:
  /// `edges` belong to the derived class.
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
  std::unique_ptr<std::vector<OutputHook>> hooks_;
  Node* next_dying_ = nullptr;
};

}  // namespace tern::autograd
