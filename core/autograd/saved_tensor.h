#pragma once

#include <cstdint>

#include <tern/core/autograd/node.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// A tensor that a rule saves for backward: the elements, their history, and the version that they
/// must still have in backward.
class TERN_API SavedTensor {
 public:
  SavedTensor() = default;
  /// `is_output`: the saving op itself made `tensor`, which then must not own its own rule.
  SavedTensor(const Tensor& tensor, bool is_output);

  /// Returns the tensor with its history. `owner` is the rule that saved the tensor. Throws Error
  /// if the elements were changed in place since then.
  Tensor unpack(Node* owner) const;

 private:
  Tensor data_;
  Edge edge_;
  std::uint32_t version_ = 0;
  bool is_output_ = false;
};

}  // namespace tern::autograd
