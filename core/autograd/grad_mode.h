#pragma once

#include <tern/core/base/visibility.h>

namespace tern {

/// Whether ops of this thread are recorded for backward.
struct TERN_API GradMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};

/// Sets the grad mode of this thread for a scope.
class TERN_API AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) : previous_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool previous_;
};

/// Nothing is recorded in this scope.
struct TERN_API NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

}  // namespace tern
