#pragma once

#include <string>

#include <tern/core/base/visibility.h>

// Records which module's forward runs on this thread, so that an error deep in an op can name the
// module. The core knows no modules: nn owns the records and describes the modules.

namespace tern::detail {

struct RunningModule;

/// The functions with which nn describes a running module.
struct ModuleDescriber {
  /// Returns the path from the outermost running module and the type: "'encoder.fc1' (Linear)".
  std::string (*describe)(const RunningModule& module);
  /// Returns false for modules of the library, which register every tensor that they hold.
  bool (*may_hold_plain_tensors)(const RunningModule& module);
  /// Returns a pointer that is equal for modules of the same class.
  const void* (*type)(const RunningModule& module);
};

/// One running forward. Lives on the stack of the call that runs the forward.
struct RunningModule {
  const void* module;
  const ModuleDescriber* describer;
  const RunningModule* outer;
};

/// Returns the innermost running module of this thread, for reading and setting; null outside of
/// forward.
TERN_API const RunningModule*& running_module();

/// Returns the description of the innermost module, such as "'encoder.fc1' (Linear)"; empty outside
/// of forward.
TERN_API std::string running_module_text();

/// Returns true when one of the running modules may hold a tensor that it has not registered.
TERN_API bool running_modules_may_hold_plain_tensors();

}  // namespace tern::detail
