#include <tern/core/base/running_module.h>

namespace tern::detail {

const RunningModule*& running_module() {
  static thread_local const RunningModule* innermost = nullptr;
  return innermost;
}

std::string running_module_text() {
  const RunningModule* innermost = running_module();
  return innermost == nullptr ? std::string() : innermost->describe(*innermost);
}

}  // namespace tern::detail
