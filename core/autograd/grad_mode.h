#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// The per-thread switch that decides whether ops are recorded for backward.
struct TERN_API GradMode {
  /// Returns true when ops of this thread are recorded; true at the start of a thread.
  static bool is_enabled();
  /// Sets whether ops of this thread are recorded. Prefer a guard, which restores the mode.
  static void set_enabled(StrictBool enabled);
};

/// Sets the grad mode of this thread while the guard lives and then restores the previous mode.
class TERN_API AutoGradMode {
 public:
  /// Sets the grad mode.
  explicit AutoGradMode(StrictBool enabled) : previous_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  /// Restores the previous grad mode.
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool previous_;
};

/// Disables recording while the guard lives, as torch.no_grad() does.
///
/// Example:
///   {
///     tern::NoGradGuard no_grad;
///     weight -= 0.1 * weight.grad();
///   }
struct TERN_API NoGradGuard : AutoGradMode {
  /// Disables recording.
  NoGradGuard() : AutoGradMode(false) {}
};

}  // namespace tern
