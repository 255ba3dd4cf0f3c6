#pragma once

#include <string>

#include <tern/core/base/visibility.h>

// Which module's forward runs on this thread, so that an error deep in an op can name it. The core
// knows no modules: nn keeps the frames and says how to describe one.

namespace tern::detail {

/// One running forward; lives on the stack of the call that runs it.
struct RunningModule {
  const void* module;
  std::string (*describe)(const RunningModule& innermost);
  const RunningModule* outer;
};

/// The innermost running module of this thread; null outside of forward.
TERN_API const RunningModule*& running_module();

/// Its description, for example "fc1 (tern::nn::LinearImpl)"; empty outside of forward.
TERN_API std::string running_module_text();

}  // namespace tern::detail
