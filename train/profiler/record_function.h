#pragma once

#include <cstddef>
#include <string_view>

#include <tern/core/base/profile_scope.h>
#include <tern/core/base/strict.h>

namespace tern::profiler {

/// Gives the work of a scope a name in the running Profile: a row of the table and a bar of the
/// trace. Costs one relaxed load while nothing is profiled. Must end on the thread on which it
/// began.
///
/// Example:
///   for (auto& batch : *loader) {
///     profiler::RecordFunction range("augment");
///     augment(batch);
///   }
class RecordFunction {
 public:
  /// Begins the range.
  explicit RecordFunction(std::string_view name) noexcept {
    if (tern::detail::is_profiled()) [[unlikely]] {
      scope_.begin_named(tern::detail::ProfileKind::kRange, name.data(), name.size());
    }
  }
  RecordFunction(std::nullptr_t) = delete;
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;
  /// Ends the range.
  ~RecordFunction() = default;
  /// Ends the range now.
  void end() noexcept { scope_.end(); }

 private:
  tern::detail::ProfileScope scope_;
};

/// Python's name of RecordFunction.
using record_function = RecordFunction;

}  // namespace tern::profiler
