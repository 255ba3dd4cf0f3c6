#pragma once

#include <tern/compat/macros.h>
#include <tern/core/base/warning.h>

namespace c10 {

using ::tern::SourceLocation;
using ::tern::Warning;
using ::tern::WarningHandler;
/// A warning about a mistake.
using UserWarning = Warning::UserWarning;
/// A warning about a call that will go away.
using DeprecationWarning = Warning::DeprecationWarning;

/// Gives a warning to the handler of this thread.
inline void warn(const Warning& warning) { ::tern::compat::give(warning); }

/// The handlers of warnings.
namespace WarningUtils {
using ::tern::get_warning_handler;
using ::tern::set_warning_handler;
using ::tern::WarningHandlerGuard;
/// Sets whether TORCH_WARN_ONCE() warns each time.
inline void set_warnAlways(bool on) noexcept { ::tern::compat::warns_always = on; }
/// Returns whether TORCH_WARN_ONCE() warns each time.
inline bool get_warnAlways() noexcept { return ::tern::compat::warns_always; }
/// Sets it for a scope.
struct WarnAlways {
  /// Sets it.
  explicit WarnAlways(bool on = true) : before(get_warnAlways()) { set_warnAlways(on); }
  ~WarnAlways() { set_warnAlways(before); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;

 private:
  bool before;
};
}  // namespace WarningUtils

}  // namespace c10
