#pragma once

#include <functional>
#include <memory>
#include <string>

namespace tern::nn {

class Module;

/// The types of the functions that Module::apply() takes, as libtorch names them.
struct ApplyFunctions {
  /// Takes a module.
  using ModuleApplyFunction = std::function<void(Module&)>;
  /// Takes a constant module.
  using ConstModuleApplyFunction = std::function<void(const Module&)>;
  /// Takes a path and a module.
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  /// Takes a path and a constant module.
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  /// Takes the pointer to a module.
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  /// Takes a path and the pointer to a module.
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string&, const std::shared_ptr<Module>&)>;
};

}  // namespace tern::nn
