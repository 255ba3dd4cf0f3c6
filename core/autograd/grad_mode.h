#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// The switch that decides whether this thread's ops are recorded for backward.
struct TERN_API GradMode {
  /// Returns true when ops of this thread are recorded; true at the start of a thread.
  static bool is_enabled();
  /// Sets whether ops of this thread are recorded. Prefer a guard, which restores the mode.
  static void set_enabled(StrictBool enabled);
};

/// Sets the grad mode of this thread for a scope and restores the mode before.
class TERN_API AutoGradMode {
 public:
  /// Sets the grad mode.
  explicit AutoGradMode(StrictBool enabled) : previous_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  /// Restores the grad mode.
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool previous_;
};

/// Switches recording off for a scope, as torch.no_grad().
///
/// Example:
///   {
///     tern::NoGradGuard no_grad;
///     weight -= 0.1 * weight.grad();
///   }
struct TERN_API NoGradGuard : AutoGradMode {
  /// Switches recording off.
  NoGradGuard() : AutoGradMode(false) {}
};

}  // namespace tern
