#include <tern/core/base/warning.h>

namespace tern {
namespace {
thread_local WarningHandler* warning_handler = nullptr;
}  // namespace

WarningHandler::~WarningHandler() = default;

WarningHandler* get_warning_handler() noexcept { return warning_handler; }
void set_warning_handler(WarningHandler* handler) noexcept { warning_handler = handler; }

void detail::warn_text(const std::string& text) {
  warning_handler->process(Warning(Warning::UserWarning(), {"", "", 0}, text, false));
}

}  // namespace tern
