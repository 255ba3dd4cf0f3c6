#pragma once

#include <cstddef>
#include <memory>

// Families of modules that may contain each other. Registering a module in a module that it
// contains is an error, but the search for such a cycle costs a walk. Modules of different families
// never contain each other, so registering one in the other needs no walk. This is the usual case
// while a tree is built.

namespace tern::nn::detail {

/// A node of a union-find forest. Modules are never removed from a family: a family that is too
/// large only costs an unnecessary walk.
struct Family {
  std::shared_ptr<Family> parent;  // null for the root
  std::size_t size = 1;
};

/// Returns false if neither module can be below the other. A null pointer is the family of a module
/// that took part in no registration.
bool may_be_below(const std::shared_ptr<Family>& a, const std::shared_ptr<Family>& b);

/// Joins two families, before one module is registered in the other.
void unite(std::shared_ptr<Family>& a, const std::shared_ptr<Family>& b);
void unite(std::shared_ptr<Family>& a, std::shared_ptr<Family>& b);

}  // namespace tern::nn::detail
