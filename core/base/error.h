#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <tern/core/base/text.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Base of everything that tern throws. `what()` names the op, the rule and both actual values.
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
  ~Error() override;

  /// Returns the same text as `what()`. libtorch spells it so; tern attaches no backtrace.
  const char* what_without_backtrace() const noexcept { return what(); }
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

/// Returns `text` with what the thread knows about the place of the error: "op: " in front while a
/// public op runs that `text` does not name, and the module at the end while a forward runs.
TERN_API std::string error_text(std::string text, bool is_of_op);

/// Throws E with the joined parts, finished by error_text(). No op is to blame for memory that ran
/// out. Errors of a device, which may be late, are thrown as they are instead.
template <class E>
[[noreturn]] __attribute__((noinline, cold)) void raise_joined(
    std::initializer_list<TextPart> parts) {
  throw E(error_text(join(parts), !std::is_same_v<E, OutOfMemoryError>));
}

/// The same for any values. Stays out of line, so that a check costs its caller little.
template <class E, class... Parts>
[[noreturn]] __attribute__((noinline, cold)) void raise(const Parts&... parts) {
  raise_joined<E>({TextPart(parts)...});
}

/// A broken invariant of tern's own; user input never ends here.
[[noreturn]] TERN_API void assertion_failed(const char* condition, const char* file, int line);

}  // namespace detail
}  // namespace tern

/// Throws `kind` with the concatenated parts unless `condition` holds. The text also names the op
/// and the module that run, where one does.
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
