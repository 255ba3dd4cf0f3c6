#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tern/nn/containers/contained_module.h>
#include <tern/nn/detail/clone_ties.h>

// Copies of containers inside containers, without recursion.

namespace tern::nn {

class ModuleDictImpl;
class ModuleListImpl;
class SequentialImpl;

namespace detail {

/// Returns true for exactly a Sequential, ModuleList or ModuleDict. Derived classes do not count,
/// because they may override what a module does.
bool is_container(const Module& module);

/// Returns the entry of a container for a module that replaces another one. It can be called if
/// both are of the same class.
ContainedModule replacement(const ContainedModule& old, std::shared_ptr<Module> module);

/// Clones a tree of containers. An inner container starts as an empty copy and is filled later; any
/// other module is cloned by its own clone().
class ContainerCloner {
 public:
  explicit ContainerCloner(const std::optional<Device>& device) : device_(device) {}

  /// Returns a deep copy of a container's content in a new container of the same kind.
  template <class Container>
  std::shared_ptr<Module> run(const Container& root) {
    auto copy = std::make_shared<Container>();
    open_.emplace_back(&root, copy.get());
    fill_all();
    match_ties(root, *copy, device_);
    return copy;
  }

  /// Returns the copy of a module inside the container that is being filled: one for all places of
  /// a module.
  std::shared_ptr<Module> clone(const Module& module);

 private:
  void fill_all();

  const std::optional<Device>& device_;
  std::vector<std::pair<const Module*, Module*>> open_;  // containers whose copies are empty
  std::unordered_map<const Module*, std::shared_ptr<Module>> copies_;
};

}  // namespace detail
}  // namespace tern::nn
