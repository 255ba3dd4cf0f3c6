#pragma once

#include <string>

#include <tern/core/base/visibility.h>

// Which module's forward runs on this thread, so that an error deep in an op can name the module.
// The core knows no modules: nn keeps the frames and says how to describe one.

namespace tern::detail {

struct RunningModule;

/// What nn tells about a running module.
struct ModuleDescriber {
  /// Its path from the outermost running module and its type: "'encoder.fc1' (Linear)".
  std::string (*describe)(const RunningModule& module);
  /// False for modules of the library, which register every tensor that they hold.
  bool (*may_hold_plain_tensors)(const RunningModule& module);
};

/// One running forward; lives on the stack of the call that runs it.
struct RunningModule {
  const void* module;
  const ModuleDescriber* describer;
  const RunningModule* outer;
};

/// The innermost running module of this thread; null outside of forward.
TERN_API const RunningModule*& running_module();

/// Its description, for example "'encoder.fc1' (Linear)"; empty outside of forward.
TERN_API std::string running_module_text();

/// True when one of the running modules may hold a tensor that it has not registered.
TERN_API bool running_modules_may_hold_plain_tensors();

}  // namespace tern::detail
