#pragma once

#include <string>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::nn::detail {

/// A data member of a module that Module::bind_parameter() or bind_buffer() has set.
struct BoundMember {
  Tensor* tensor;
  const TensorImpl* registered;  // the module's tensor with this name
  std::string name;
  /// True: the tensor is computed before each forward, and undefined at other times.
  bool is_parametrized = false;

  bool was_assigned() const { return tensor->unsafeGetTensorImpl() != registered; }
};

/// The bound members of a module. A copy is empty: a copied module has its own data members, and
/// none of them is bound yet.
struct BoundMembers : std::vector<BoundMember> {
  BoundMembers() = default;
  BoundMembers(const BoundMembers&) : BoundMembers() {}
  BoundMembers& operator=(const BoundMembers&) {
    clear();
    return *this;
  }
};

}  // namespace tern::nn::detail
