#pragma once

#include <cstdint>

#include <tern/core/autograd/node.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// A tensor that a rule keeps for backward: its elements, where they came from, and the version
/// that they must still have then.
class TERN_API SavedTensor {
 public:
  SavedTensor() = default;
  /// `is_output`: `tensor` is what the keeping op made, and must not own its own rule.
  SavedTensor(const Tensor& tensor, bool is_output);

  /// The tensor as it was. `owner` is the rule that saved it. Throws Error when the elements were
  /// changed in place since.
  Tensor unpack(Node* owner) const;

 private:
  Tensor data_;
  Edge edge_;
  std::uint32_t version_ = 0;
  bool is_output_ = false;
};

}  // namespace tern::autograd
