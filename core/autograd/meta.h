#pragma once

#include <cstdint>
#include <string>

#include <tern/core/autograd/node.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Where a gradient rests; shared by a tensor and the node that fills it.
struct GradSlot final : RefCounted {
  Tensor grad;
  bool is_open =
      true;  // false after requires_grad_(false) or detach_(): earlier graphs add nothing
};

/// A tensor's part of autograd.
struct Meta final : AutogradPart {
  IntrusivePtr<GradSlot> slot;  // made when a gradient may rest here
  IntrusivePtr<Node> node;      // grad_fn, or the accumulator of a leaf that requires grad
  std::uint32_t output_nr = 0;
  unsigned retain_hook = 0;  // the number of retain_grad()'s hook on `node`; 0: none

  static void* operator new(std::size_t size) { return tern::detail::allocate_object(size); }
  static void operator delete(void* pointer, std::size_t size) noexcept {
    tern::detail::free_object(pointer, size);
  }
};

inline Meta* meta_of(const TensorImpl& impl) { return static_cast<Meta*>(impl.autograd.get()); }
Meta& ensure_meta(TensorImpl& impl);

/// The rule that made `tensor`, or the accumulator of a leaf that requires grad, else none. A view
/// whose base was changed in place gets a fresh rule first.
TERN_API Edge gradient_edge(const Tensor& tensor);

/// Makes `tensor` the output `nr` of `node`.
TERN_API void set_history(const Tensor& tensor, IntrusivePtr<Node> node, std::uint32_t nr = 0);

/// Makes the tensor of `meta` the output of `edge`; the hook of retain_grad() moves there.
void set_edge(Meta& meta, Edge edge);

/// What PyTorch calls the op of a node in texts: ExpBackward0 -> Exp.
std::string op_name(const Node& node);

/// A leaf's node: adds what comes to the leaf's .grad.
IntrusivePtr<Node> make_accumulator(const Tensor& leaf, IntrusivePtr<GradSlot> slot);

}  // namespace tern::autograd
