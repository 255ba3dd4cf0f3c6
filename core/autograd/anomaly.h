#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern::autograd {

/// The switch of anomaly mode, for all threads. In this mode each recorded op is remembered with
/// the op and the module that the program called, and backward() throws Error when a rule returns
/// NaN. The text names the rule, the op and the module. The checks take time; use the mode to find
/// a mistake.
///
/// Example:
///   const tern::autograd::DetectAnomalyGuard guard;
///   model->forward(x).sum().backward();
class TERN_API AnomalyMode {
 public:
  /// Returns true in anomaly mode.
  static bool is_enabled();
  /// Returns true when backward() looks for NaN.
  static bool should_check_nan();
  /// Enters or leaves the mode. Without `check_nan`, ops are remembered and results not checked.
  static void set_enabled(StrictBool enabled, StrictBool check_nan = true);
};

/// Enters anomaly mode while the guard lives and then restores the previous mode.
class TERN_API DetectAnomalyGuard {
 public:
  /// Enters anomaly mode.
  explicit DetectAnomalyGuard(StrictBool check_nan = true)
      : was_enabled_(AnomalyMode::is_enabled()), checked_nan_(AnomalyMode::should_check_nan()) {
    AnomalyMode::set_enabled(true, check_nan);
  }
  /// Restores the previous mode.
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(was_enabled_, checked_nan_); }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool was_enabled_, checked_nan_;
};

}  // namespace tern::autograd
