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

  /// Walks two modules of one form side by side: on_module(a, b) for each pair of modules and
  /// on_parameter and on_buffer(tensor of a, tensor of b) for each pair of entries, tied ones under
  /// every name. False, and no further calls, where the forms differ.
  template <class OnModule, class OnParameter, class OnBuffer>
  static bool pairs(const Module& a, Module& b, const OnModule& on_module,
                    const OnParameter& on_parameter, const OnBuffer& on_buffer) {
    on_module(a, b);
    const auto each = [](const auto& from, auto& to, const auto& fn) {
      bool same = from.size() == to.size();
      for (std::size_t i = 0; same && i < from.size(); ++i) {
        const auto& [name, entry] = from.items()[i];
        auto* const other = to.find(name);
        same = other != nullptr && fn(entry, *other);
      }
      return same;
    };
    const auto tensors = [](const Tensor& from, Tensor& to, const auto& fn) {
      if (from.defined() != to.defined()) return false;
      if (from.defined()) fn(from, to);
      return true;
    };
    return each(a.parameters_, b.parameters_,
                [&](const Tensor& x, Tensor& y) { return tensors(x, y, on_parameter); }) &&
           each(a.buffers_, b.buffers_,
                [&](const auto& x, auto& y) { return tensors(x.tensor, y.tensor, on_buffer); }) &&
           each(a.children_, b.children_, [&](const auto& x, const auto& y) {
             return pairs(*x, *y, on_module, on_parameter, on_buffer);
           });
  }

  /// Sets the training mode of this module alone.
  static void set_training(Module& module, bool on) { module.is_training_ = on; }

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
