#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include <tern/core/base/visibility.h>

namespace tern {

/// Base of everything that tern throws. `what()` names the op, the rule and both actual values.
class TERN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;

  /// Same text as `what()`: tern attaches no backtrace (libtorch's spelling, kept for its users).
  const char* what_without_backtrace() const noexcept { return what(); }
};

/// Sizes that do not fit together.
class TERN_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// A dtype that an op does not take, or two that do not fit together.
class TERN_API DTypeError : public Error {
 public:
  using Error::Error;
  ~DTypeError() override;
};

/// A device that does not exist, or tensors that live apart.
class TERN_API DeviceError : public Error {
 public:
  using Error::Error;
  ~DeviceError() override;
};

/// A dimension or an index out of range.
class TERN_API IndexError : public Error {
 public:
  using Error::Error;
  ~IndexError() override;
};

/// No memory left on the host or on a device; what was there before is unchanged.
class TERN_API OutOfMemoryError : public Error {
 public:
  using Error::Error;
  ~OutOfMemoryError() override;
};

/// A file that cannot be read or written, or whose content is not what it should be.
class TERN_API FileError : public Error {
 public:
  using Error::Error;
  ~FileError() override;
};

/// Something that a backend or tern does not offer.
class TERN_API NotImplementedError : public Error {
 public:
  using Error::Error;
  ~NotImplementedError() override;
};

namespace detail {

/// Concatenates the parts with operator<<. Runs only on the failing path, so it shall be small.
template <class... Parts>
__attribute__((noinline, cold)) std::string text_of(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class E, class... Parts>
[[noreturn]] __attribute__((noinline, cold)) void raise(const Parts&... parts) {
  throw E(text_of(parts...));
}

/// A broken invariant of tern's own; user input never ends here.
[[noreturn]] TERN_API void assertion_failed(const char* condition, const char* file, int line);

}  // namespace detail
}  // namespace tern

/// Throws `kind` with the concatenated parts unless `condition` holds.
/// Example: TERN_CHECK(k == n, ShapeError, "matmul: inner sizes differ, got ", k, " and ", n);
#define TERN_CHECK(condition, kind, ...)        \
  do {                                          \
    if (!(condition)) [[unlikely]] {            \
      ::tern::detail::raise<kind>(__VA_ARGS__); \
    }                                           \
  } while (false)

/// For tern's own invariants only.
#define TERN_ASSERT(condition)                                          \
  do {                                                                  \
    if (!(condition)) [[unlikely]] {                                    \
      ::tern::detail::assertion_failed(#condition, __FILE__, __LINE__); \
    }                                                                   \
  } while (false)
