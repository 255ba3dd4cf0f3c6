#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/detail/libtorch.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module.h>

namespace tern::nn {

namespace {

/// A module whose submodules apply_below is visiting.
struct ApplyFrame {
  std::shared_ptr<Module> module;  // null for the root
  Module::NamedModules children;   // a copy: the function may change the module
  std::size_t next;
  std::size_t length;  // length of the parent's path
};

/// Calls fn(path, module) for all modules below `root`, children first, and self() at last. As
/// libtorch does it, parents come first.
template <class Fn, class Self>
void apply_to(const Module& root, std::string path, const Fn& fn, const Self& self) {
  const bool parents_first = tern::detail::as_libtorch;
  if (parents_first) self();
  std::vector<ApplyFrame> open;
  open.push_back({nullptr, root.named_children(), 0, path.size()});
  for (;;) {
    ApplyFrame& top = open.back();
    if (top.next < top.children.size()) {
      const auto& [name, child] = top.children[top.next++];
      const std::size_t length = ModuleWalk::descend(path, name);
      const std::shared_ptr<Module> module = child;  // push_back moves the frames
      if (parents_first) fn(path, module);
      open.push_back({module, module->named_children(), 0, length});
      continue;
    }
    if (open.size() == 1) break;
    const std::shared_ptr<Module> module = std::move(top.module);
    const std::size_t length = top.length;
    open.pop_back();
    if (!parents_first) fn(path, module);
    path.resize(length);
  }
  if (!parents_first) self();
}

}  // namespace

void Module::apply(const std::function<void(Module&)>& function) {
  apply_to(
      *this, "", [&](const std::string&, const auto& child) { function(*child); },
      [&] { function(*this); });
}

void Module::apply(const std::function<void(const Module&)>& function) const {
  apply_to(
      *this, "", [&](const std::string&, const auto& child) { function(*child); },
      [&] { function(*this); });
}

void Module::apply(const std::function<void(const std::string&, Module&)>& function,
                   const std::string& name_prefix) {
  apply_to(
      *this, name_prefix,
      [&](const std::string& path, const auto& child) { function(path, *child); },
      [&] { function(name_prefix, *this); });
}

void Module::apply(const std::function<void(const std::string&, const Module&)>& function,
                   const std::string& name_prefix) const {
  apply_to(
      *this, name_prefix,
      [&](const std::string& path, const auto& child) { function(path, *child); },
      [&] { function(name_prefix, *this); });
}

void Module::apply(const std::function<void(const std::shared_ptr<Module>&)>& function) const {
  const std::shared_ptr<Module> self = shared_self();
  apply_to(
      *this, "", [&](const std::string&, const auto& child) { function(child); },
      [&] { function(self); });
}

void Module::apply(
    const std::function<void(const std::string&, const std::shared_ptr<Module>&)>& function,
    const std::string& name_prefix) const {
  const std::shared_ptr<Module> self = shared_self();
  apply_to(
      *this, name_prefix,
      [&](const std::string& path, const auto& child) { function(path, child); },
      [&] { function(name_prefix, self); });
}

}  // namespace tern::nn
