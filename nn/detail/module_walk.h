#pragma once

#include <string>
#include <unordered_set>

#include <tern/nn/module.h>

namespace tern::nn {

/// The one way through a tree of modules: self first, then children in order of registration.
class ModuleWalk {
 public:
  /// Calls fn(path, module) once per module, under its first path ("" for the root).
  template <class Fn>
  static void modules(const Module& root, const Fn& fn) {
    std::unordered_set<const void*> seen;
    walk(root, std::string(), seen, fn);
  }

  /// Calls fn(path, tensor) once per defined parameter.
  template <class Fn>
  static void parameters(const Module& root, bool recurse, const Fn& fn) {
    tensors(root, recurse, fn, [](const Module& module, const auto& visit) {
      for (const auto& [name, tensor] : module.parameters_) visit(name, tensor);
    });
  }

  /// Calls fn(path, tensor) once per defined buffer.
  template <class Fn>
  static void buffers(const Module& root, bool recurse, const Fn& fn) {
    tensors(root, recurse, fn, [](const Module& module, const auto& visit) {
      for (const auto& [name, buffer] : module.buffers_) visit(name, buffer.tensor);
    });
  }

  static const Module::NamedModules& children(const Module& module) { return module.children_; }

  static std::string join(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + '.' + name;
  }

 private:
  template <class Fn>
  static void walk(const Module& module, const std::string& path,
                   std::unordered_set<const void*>& seen, const Fn& fn) {
    if (!seen.insert(&module).second) return;
    fn(path, module);
    for (const auto& [name, child] : module.children_) walk(*child, join(path, name), seen, fn);
  }

  template <class Fn, class Entries>
  static void tensors(const Module& root, bool recurse, const Fn& fn, const Entries& entries) {
    std::unordered_set<const void*> seen;
    const auto visit_module = [&](const std::string& path, const Module& module) {
      entries(module, [&](const std::string& name, const Tensor& tensor) {
        if (!tensor.defined() || !seen.insert(tensor.unsafeGetTensorImpl()).second) return;
        fn(join(path, name), tensor);
      });
    };
    if (recurse) {
      modules(root, visit_module);
    } else {
      visit_module(std::string(), root);
    }
  }
};

}  // namespace tern::nn
