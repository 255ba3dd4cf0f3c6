#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tern/nn/module.h>

namespace tern::nn {

namespace detail {
/// Returns "Linear" for a tern::nn::LinearImpl.
std::string type_of_holder(const Module& module);
}  // namespace detail

/// Walks over a tree of modules: each module comes before its children, which come in order of
/// registration. The walk uses heap memory instead of the stack, so a tree may be deep, and one
/// path string for all modules. Its time is linear in the number of modules and the length of the
/// paths that callers store.
class ModuleWalk {
 public:
  /// Calls fn(path, module) once per module, under its first path ("" for the root).
  template <class Fn>
  static void modules(const Module& root, const Fn& fn) {
    std::unordered_set<const void*> seen;
    walk<true>(
        root, [&](const Module& module) { return seen.insert(&module).second; }, fn);
  }

  /// Calls fn(path, module) once per module and path: a shared module comes under each of its
  /// paths.
  template <class Fn>
  static void paths(const Module& root, const Fn& fn) {
    walk<true>(
        root, [](const Module&) { return true; }, fn);
  }

  /// Calls fn(module) once per module.
  template <class Fn>
  static void each(const Module& root, const Fn& fn) {
    std::unordered_set<const void*> seen;
    walk<false>(
        root, [&](const Module& module) { return seen.insert(&module).second; },
        [&](const std::string&, const Module& module) { fn(module); });
  }

  /// Calls fn(tensor) once per defined parameter, or fn(path, tensor).
  template <class Fn>
  static void parameters(const Module& root, bool recurse, const Fn& fn) {
    tensors(root, recurse, fn, [](const Module& module, const auto& visit) {
      for (const auto& [name, tensor] : module.parameters_) visit(name, tensor);
    });
  }

  /// Calls fn(tensor) once per defined buffer, or fn(path, tensor).
  template <class Fn>
  static void buffers(const Module& root, bool recurse, const Fn& fn) {
    tensors(root, recurse, fn, [](const Module& module, const auto& visit) {
      for (const auto& [name, buffer] : module.buffers_) visit(name, buffer.tensor);
    });
  }

  /// Calls fn(path, tensor) for every defined parameter under each of its paths, also for one that
  /// comes twice.
  template <class Fn>
  static void every_parameter(const Module& root, bool recurse, const Fn& fn) {
    every_tensor(root, recurse, [&](const std::string& path, const Module& module) {
      for (const auto& [name, tensor] : module.parameters_) {
        if (tensor.defined()) fn(join(path, name), tensor);
      }
    });
  }

  /// Calls fn(path, tensor) for every defined buffer under each of its paths.
  template <class Fn>
  static void every_buffer(const Module& root, bool recurse, const Fn& fn) {
    every_tensor(root, recurse, [&](const std::string& path, const Module& module) {
      for (const auto& [name, buffer] : module.buffers_) {
        if (buffer.tensor.defined()) fn(join(path, name), buffer.tensor);
      }
    });
  }

  /// Walks over two modules of the same structure together. Calls on_module(a, b) once per pair of
  /// modules, and on_parameter and on_buffer(name, tensor of a, tensor of b) for each pair of their
  /// entries; tied tensors come under every name. Stops and returns false if the structures differ.
  template <class OnModule, class OnParameter, class OnBuffer>
  static bool pairs(const Module& a, Module& b, const OnModule& on_module,
                    const OnParameter& on_parameter, const OnBuffer& on_buffer) {
    const auto each_pair = [](const auto& from, auto& to, const auto& fn) {
      bool same = from.size() == to.size();
      for (std::size_t i = 0; same && i < from.size(); ++i) {
        const auto& [name, entry] = from.items()[i];
        auto* const other = to.find(name);
        same = other != nullptr && fn(name, entry, *other);
      }
      return same;
    };
    const auto tensors = [](const std::string& name, const Tensor& from, Tensor& to,
                            const auto& fn) {
      if (from.defined() != to.defined()) return false;
      if (from.defined()) fn(name, from, to);
      return true;
    };
    std::set<std::pair<const Module*, const Module*>> seen;
    std::vector<std::pair<const Module*, Module*>> open = {{&a, &b}};
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      if (!seen.emplace(x, y).second) continue;
      on_module(*x, *y);
      const std::size_t below = open.size();
      const bool same =
          each_pair(x->parameters_, y->parameters_,
                    [&](const auto& name, const Tensor& from, Tensor& to) {
                      return tensors(name, from, to, on_parameter);
                    }) &&
          each_pair(x->buffers_, y->buffers_,
                    [&](const auto& name, const auto& from, auto& to) {
                      return tensors(name, from.tensor, to.tensor, on_buffer);
                    }) &&
          each_pair(x->children_, y->children_, [&](const auto&, const auto& from, const auto& to) {
            open.emplace_back(from.get(), to.get());
            return true;
          });
      if (!same) return false;
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(below), open.end());
    }
    return true;
  }

  /// Sets the training mode of this module alone.
  static void set_training(Module& module, bool on) { module.is_training_ = on; }

  static const Module::NamedModules& children(const Module& module) { return module.children_; }

  static std::string join(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + '.' + name;
  }

  /// Appends `name` to `path` and returns the previous length of the path.
  static std::size_t descend(std::string& path, const std::string& name) {
    const std::size_t length = path.size();
    if (length != 0) path += '.';
    path += name;
    return length;
  }

 private:
  struct Frame {
    const Module* module;
    std::size_t next;    // the next child to visit
    std::size_t length;  // length of the parent's path
  };

  /// Calls fn(path, module) and walks below the module if enter(module) is true. Without kPaths the
  /// path stays empty.
  template <bool kPaths, class Enter, class Fn>
  static void walk(const Module& root, const Enter& enter, const Fn& fn) {
    std::string path;
    if (!enter(root)) return;
    fn(path, root);
    std::vector<Frame> open = {{&root, 0, 0}};
    while (!open.empty()) {
      Frame& top = open.back();
      if (top.next == top.module->children_.size()) {
        path.resize(top.length);
        open.pop_back();
        continue;
      }
      const auto& [name, child] = top.module->children_.items()[top.next++];
      if (!enter(*child)) continue;
      const std::size_t length = kPaths ? descend(path, name) : 0;
      fn(path, *child);
      if (child->children_.is_empty()) {
        path.resize(length);
      } else {
        open.push_back({child.get(), 0, length});
      }
    }
  }

  template <class Fn>
  static void every_tensor(const Module& root, bool recurse, const Fn& fn) {
    const auto visit = [&](const std::string& path, const Module& module) {
      module.check_members();
      fn(path, module);
    };
    if (recurse) {
      paths(root, visit);
    } else {
      visit(std::string(), root);
    }
  }

  template <class Fn, class Entries>
  static void tensors(const Module& root, bool recurse, const Fn& fn, const Entries& entries) {
    constexpr bool kPaths = std::is_invocable_v<const Fn&, const std::string&, const Tensor&>;
    std::unordered_set<const void*> seen;
    const auto visit_module = [&](const std::string& path, const Module& module) {
      module.check_members();
      entries(module, [&](const std::string& name, const Tensor& tensor) {
        if (!tensor.defined() || !seen.insert(tensor.unsafeGetTensorImpl()).second) return;
        if constexpr (kPaths) {
          fn(join(path, name), tensor);
        } else {
          fn(tensor);
        }
      });
    };
    if (!recurse) {
      visit_module(std::string(), root);
    } else if constexpr (kPaths) {
      modules(root, visit_module);
    } else {
      each(root, [&](const Module& module) { visit_module(std::string(), module); });
    }
  }
};

}  // namespace tern::nn
