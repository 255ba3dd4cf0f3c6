#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <tern/core/base/text.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// A place in a program.
struct SourceLocation {
  /// The function.
  const char* function;
  /// The file.
  const char* file;
  /// The line.
  std::uint32_t line;
};

/// Base class of all errors that tern throws. `what()` names the op, the rule and both actual
/// values.
///
/// Example:
///   try {
///     tern::matmul(a, b);
///   } catch (const tern::ShapeError& error) {
///     std::cerr << error.what() << "\n";
///   }
class TERN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// Says where the error was found, for programs that throw libtorch's class; tern drops it.
  Error(SourceLocation /*location*/, const std::string& message) : Error(message) {}
  ~Error() override;

  /// Returns the message, followed by the lines of add_context().
  const char* what() const noexcept override;
  /// Returns the same text as `what()`, under libtorch's name. tern attaches no backtrace.
  const char* what_without_backtrace() const noexcept { return what(); }
  /// Returns the message alone.
  std::string msg() const;
  /// Adds a line that says what the program did when the error was thrown, to rethrow it.
  void add_context(std::string line);
  /// Returns the lines of add_context().
  const std::vector<std::string>& context() const;

 private:
  struct Extra {
    std::vector<std::string> context;
    std::string text;
  };
  std::shared_ptr<const Extra> extra_;  // null without context
};

/// Thrown for sizes that do not fit together.
class TERN_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// Thrown for a dtype that an op does not take, and for dtypes that do not fit together.
class TERN_API DTypeError : public Error {
 public:
  using Error::Error;
  ~DTypeError() override;
};

/// Thrown for a device that does not exist or failed, and for tensors on different devices.
class TERN_API DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

/// Thrown for a dimension, an index or a key out of range.
class TERN_API IndexError : public Error {
 public:
  using Error::Error;
  ~IndexError() override;
};

/// Thrown when the host or a device has no memory left. Existing tensors are unchanged.
class TERN_API OutOfMemoryError : public Error {
 public:
  using Error::Error;
  ~OutOfMemoryError() override;
};

/// Thrown for a file that cannot be read or written, and for wrong content of a file.
class TERN_API FileError : public Error {
 public:
  using Error::Error;
  ~FileError() override;
};

/// Thrown for an op or a feature that tern or the backend does not have.
class TERN_API NotImplementedError : public Error {
 public:
  using Error::Error;
  ~NotImplementedError() override;
};

namespace detail {

/// Returns `text` with the context of this thread. "op: " goes in front when a public op runs that
/// `text` does not name, unless `is_of_op` is false. The running module goes to the end.
TERN_API std::string error_text(std::string text, bool is_of_op);

/// Throws E with the joined parts, completed by error_text(). OutOfMemoryError names no op, because
/// no op is to blame. Device errors may arrive late and are thrown without this function.
template <class E>
[[noreturn]] __attribute__((noinline, cold)) void raise_joined(
    std::initializer_list<TextPart> parts) {
  throw E(error_text(join(parts), !std::is_same_v<E, OutOfMemoryError>));
}

/// How raise() passes a part of type T: texts of all lengths and numbers of all widths alike, so
/// that few functions serve all checks.
template <class T, bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, char>>
struct Passed {
  using Type = std::conditional_t<std::is_array_v<T>, const char*, const T&>;
};
template <class T>
struct Passed<T, true> {
  using Integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using Type = std::conditional_t<std::is_floating_point_v<T>, double, Integer>;
};

template <class E, class... Parts>
[[noreturn]] __attribute__((noinline, cold)) void raise_parts(Parts... parts) {
  raise_joined<E>({TextPart(parts)...});
}

/// Throws E with the text of all values. A check costs its caller little code.
template <class E, class... Parts>
[[noreturn]] __attribute__((always_inline)) inline void raise(const Parts&... parts) {
  raise_parts<E, typename Passed<Parts>::Type...>(parts...);
}

/// Throws Error for a broken invariant of tern itself. User input must never cause this error.
[[noreturn]] TERN_API void assertion_failed(const char* condition, const char* file, int line);

}  // namespace detail
}  // namespace tern

/// Throws `kind` with the concatenated parts unless `condition` holds. The text also names the
/// running op and module, if there are any.
///
/// Example:
///   TERN_CHECK(k == n, ShapeError, "matmul: inner sizes differ, got ", k, " and ", n);
#define TERN_CHECK(condition, kind, ...)        \
  do {                                          \
    if (!(condition)) [[unlikely]] {            \
      ::tern::detail::raise<kind>(__VA_ARGS__); \
    }                                           \
  } while (false)

/// Checks an invariant of tern itself. User input must never reach a failing TERN_ASSERT.
#define TERN_ASSERT(condition)                                          \
  do {                                                                  \
    if (!(condition)) [[unlikely]] {                                    \
      ::tern::detail::assertion_failed(#condition, __FILE__, __LINE__); \
    }                                                                   \
  } while (false)
