#pragma once

#include <cstdint>
#include <memory>

#include <tern/core/autograd/node.h>
#include <tern/core/base/own_ptr.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

namespace detail {
struct PackedTensor;
}  // namespace detail

/// A tensor that a rule saves for backward: the elements, their history, and the version that they
/// must still have in backward. While a SavedTensorHooks guard lives, the hooks decide what is kept
/// in place of the elements.
class TERN_API SavedTensor {
 public:
  SavedTensor();
  /// `is_output`: the saving op itself made `tensor`, which then must not own its own rule. Throws
  /// Error for an inference tensor.
  SavedTensor(const Tensor& tensor, bool is_output);
  ~SavedTensor();
  /// Takes over what `other` keeps.
  SavedTensor(SavedTensor&& other) noexcept;
  /// Takes over what `other` keeps.
  SavedTensor& operator=(SavedTensor&& other) noexcept;

  /// Returns the tensor with its history, which is left out while the backward pass is not recorded
  /// unless `with_history` is true. `owner` is the rule that saved the tensor. Throws Error if the
  /// elements were changed in place since then.
  Tensor unpack(Node* owner, bool with_history = false) const;
  /// Frees what is kept. unpack() then returns an undefined tensor.
  void reset();

 private:
  Tensor data_;  // undefined if packed_
  OwnPtr<detail::PackedTensor> packed_;
  IntrusivePtr<Node> node_;  // of the saved tensor
  std::uint32_t output_nr_ : 31 = 0;
  std::uint32_t is_output_ : 1 = 0;
  std::uint32_t version_ = 0;
};

}  // namespace tern::autograd
