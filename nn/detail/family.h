#pragma once

#include <cstddef>
#include <memory>

// Which modules may lie below each other. Registration refuses a module that holds the one it is
// registered in; to look for it costs a walk. Modules of different families hold none of each
// other, and in a tree that is being built every registration joins two families.

namespace tern::nn::detail {

/// A node of a union-find forest. Modules are never taken out of a family: one that is too large
/// costs a walk and no more.
struct Family {
  std::shared_ptr<Family> parent;  // null for the root
  std::size_t size = 1;
};

/// Returns false when neither module is below the other. An empty pointer is the family of a module
/// that was in no registration.
bool may_be_below(const std::shared_ptr<Family>& a, const std::shared_ptr<Family>& b);

/// Makes one family of two, before one module is registered in the other.
void unite(std::shared_ptr<Family>& a, const std::shared_ptr<Family>& b);
void unite(std::shared_ptr<Family>& a, std::shared_ptr<Family>& b);

}  // namespace tern::nn::detail
