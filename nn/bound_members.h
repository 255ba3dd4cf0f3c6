#pragma once

#include <string>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::nn::detail {

/// A data member of a module that Module::bind_parameter() or bind_buffer() put a tensor into.
struct BoundMember {
  Tensor* tensor;
  const TensorImpl* registered;  // what the module has under the name
  std::string name;

  bool was_assigned() const { return tensor->unsafeGetTensorImpl() != registered; }
};

/// The bound members of a module. A copy is empty: the copy of a module has members of its own, to
/// which nothing has been bound yet.
struct BoundMembers : std::vector<BoundMember> {
  BoundMembers() = default;
  BoundMembers(const BoundMembers&) : BoundMembers() {}
  BoundMembers& operator=(const BoundMembers&) {
    clear();
    return *this;
  }
};

}  // namespace tern::nn::detail
