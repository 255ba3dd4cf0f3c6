#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tern/core/autograd/node.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// The hooks of add_accumulate_hook(); removed ones are empty.
using AccumulateHooks = std::vector<std::function<void(Tensor&)>>;

/// The accumulated gradient of a tensor. Shared by the tensor and the node that fills it.
struct GradSlot final : RefCounted {
  Tensor grad;
  bool is_open =
      true;  // false after requires_grad_(false) or detach_(): older graphs then add nothing
  std::unique_ptr<AccumulateHooks> hooks;
};

/// Autograd's data of a tensor.
struct Meta final : AutogradPart {
  IntrusivePtr<GradSlot> slot;  // made when the tensor may get a gradient
  IntrusivePtr<Node> node;      // grad_fn, or the accumulator of a leaf that requires grad
  std::uint32_t output_nr = 0;
  bool retains_grad = false;  // `node` has the hook of retain_grad()

  static void* operator new(std::size_t size) { return tern::detail::allocate_object(size); }
  static void operator delete(void* pointer, std::size_t size) noexcept {
    tern::detail::free_object(pointer, size);
  }
};

/// Returns the Meta of a tensor; null if there is none.
inline Meta* meta_of(const TensorImpl& impl) { return static_cast<Meta*>(impl.autograd.get()); }
/// Returns the Meta of a tensor, and makes it if there is none.
Meta& ensure_meta(TensorImpl& impl);

/// Makes the tensor of `meta` the output of `edge`, and moves the hook of retain_grad() there.
void set_edge(Meta& meta, Edge edge);

/// Calls the hooks of a slot that has some.
void run_accumulate_hooks(GradSlot& slot);

/// Returns PyTorch's name of a node's op, for error texts: ExpBackward0 -> Exp.
std::string op_name(const Node& node);

/// Makes a leaf's node, which adds arriving gradients to the leaf's grad().
IntrusivePtr<Node> make_accumulator(const Tensor& leaf, IntrusivePtr<GradSlot> slot);
/// Tells the node of a leaf that the leaf has another geometry, which new gradients get.
void update_accumulator(Node& node, const Tensor& leaf);

}  // namespace tern::autograd
