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
  /// Returns true when the mode is enabled and no InferenceMode lives, so that ops are recorded.
  static bool records();
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

/// Disables recording while the guard lives, and lets new tensors be inference tensors, which have
/// no version counter: no op outside of the mode may save them for backward or change them in
/// place. With `false`, leaves the mode of an outer guard and enables gradients.
///
/// Example:
///   tern::InferenceMode inference;
///   Tensor scores = model->forward(batch);
class TERN_API InferenceMode {
 public:
  /// Enters the mode.
  explicit InferenceMode(StrictBool enabled = true);
  /// Restores the previous mode.
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

  /// Returns true while this thread is in the mode.
  static bool is_enabled();

 private:
  AutoGradMode grad_mode_;
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
