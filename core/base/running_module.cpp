#include <tern/core/base/running_module.h>

namespace tern::detail {

const RunningModule*& running_module() {
  static thread_local const RunningModule* innermost = nullptr;
  return innermost;
}

std::string running_module_text() {
  const RunningModule* innermost = running_module();
  return innermost == nullptr ? std::string() : innermost->describer->describe(*innermost);
}

bool running_modules_may_hold_plain_tensors() {
  const RunningModule* module = running_module();
  while (module != nullptr && !module->describer->may_hold_plain_tensors(*module)) {
    module = module->outer;
  }
  return module != nullptr;
}

}  // namespace tern::detail
