#pragma once

#include <string>
#include <utility>
#include <variant>

#include <tern/core/base/error.h>

namespace tern {

/// A warning about a call that is probably a mistake.
class TERN_API Warning {
 public:
  /// The kinds of warnings.
  class UserWarning {};
  class DeprecationWarning {};
  /// One of the kinds.
  using warning_variant_t = std::variant<UserWarning, DeprecationWarning>;

  /// Makes a warning with its text.
  Warning(warning_variant_t type, SourceLocation source_location, std::string message,
          bool verbatim)
      : type_(type),
        source_location_(source_location),
        message_(std::move(message)),
        verbatim_(verbatim) {}

  /// Returns the kind.
  warning_variant_t type() const { return type_; }
  /// Returns where the warning was made.
  const SourceLocation& source_location() const { return source_location_; }
  /// Returns the text.
  const std::string& msg() const { return message_; }
  /// Returns true when a handler should show the text alone.
  bool verbatim() const { return verbatim_; }

 private:
  warning_variant_t type_;
  SourceLocation source_location_;
  std::string message_;
  bool verbatim_;
};

/// Receives warnings. tern never prints: without a handler, warnings are dropped.
///
/// Example:
///   struct Print : tern::WarningHandler {
///     void process(const tern::Warning& warning) override { std::cerr << warning.msg() << '\n'; }
///   } handler;
///   tern::WarningHandlerGuard guard(&handler);
class TERN_API WarningHandler {
 public:
  virtual ~WarningHandler();
  /// Receives a warning.
  virtual void process(const Warning& warning) = 0;
};

/// Returns the handler of this thread; null if there is none.
TERN_API WarningHandler* get_warning_handler() noexcept;
/// Sets the handler of this thread, which must outlive its use; null for none.
TERN_API void set_warning_handler(WarningHandler* handler) noexcept;

/// Sets the handler of this thread while the guard lives and then restores the previous one.
class TERN_API WarningHandlerGuard {
 public:
  /// Sets the handler.
  explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  /// Restores the previous handler.
  ~WarningHandlerGuard() { set_warning_handler(previous_); }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;

 private:
  WarningHandler* previous_;
};

namespace detail {

/// Gives the text to the handler of this thread, if there is one.
TERN_API void warn_text(const std::string& text);

/// Warns with the text of all values.
template <class... Parts>
void warn(const Parts&... parts) {
  if (get_warning_handler() != nullptr) [[unlikely]]
    warn_text(text_of(parts...));
}

}  // namespace detail
}  // namespace tern
