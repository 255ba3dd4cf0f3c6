#pragma once

#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/base/warning.h>
#include <tern/core/tensor/dtype.h>

// libtorch's macros for checks, warnings and for code that is compiled once per dtype.

/// Throws Error with the rest of the arguments as its text unless `condition` is true.
#define TORCH_CHECK(condition, ...) \
  TERN_COMPAT_CHECK(::tern::Error, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same with IndexError.
#define TORCH_CHECK_INDEX(condition, ...) \
  TERN_COMPAT_CHECK(::tern::IndexError, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same with ValueError.
#define TORCH_CHECK_VALUE(condition, ...) \
  TERN_COMPAT_CHECK(::tern::compat::ValueError, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same with TypeError.
#define TORCH_CHECK_TYPE(condition, ...) \
  TERN_COMPAT_CHECK(::tern::compat::TypeError, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same with NotImplementedError.
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  TERN_COMPAT_CHECK(::tern::NotImplementedError, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same as TORCH_CHECK.
#define TORCH_INTERNAL_ASSERT(condition, ...) \
  TERN_COMPAT_CHECK(::tern::Error, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same as TORCH_CHECK, in every build.
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) \
  TERN_COMPAT_CHECK(::tern::Error, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same as TORCH_CHECK.
#define AT_ASSERT(condition, ...) \
  TERN_COMPAT_CHECK(::tern::Error, condition __VA_OPT__(, ) __VA_ARGS__)
/// Does the same as TORCH_CHECK.
#define AT_ASSERTM(condition, ...) \
  TERN_COMPAT_CHECK(::tern::Error, condition __VA_OPT__(, ) __VA_ARGS__)
/// Throws Error with the arguments as its text.
#define AT_ERROR(...) ::tern::detail::raise<::tern::Error>(__VA_ARGS__)

/// Throws an error of the class `kind`; used by the macros above.
#define TERN_COMPAT_CHECK(kind, condition, ...)                                  \
  do {                                                                           \
    if (!(condition)) [[unlikely]] {                                             \
      ::tern::compat::check_failed<kind>(#condition __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                            \
  } while (false)

/// Throws Error unless `a op b`: "Check failed: 1 == 2 (1 vs. 2). ", and what is streamed into it.
#define TERN_COMPAT_COMPARE(a, b, op)                                               \
  if (const std::string tern_text = ::tern::compat::compared(                       \
          "Check failed: " #a " " #op " " #b, (a), (b),                             \
          [](const auto& tern_a, const auto& tern_b) { return tern_a op tern_b; }); \
      tern_text.empty()) {                                                          \
  } else                                                                            \
    ::tern::compat::FailedCheck { tern_text }
/// Throws Error unless both are equal.
#define TORCH_CHECK_EQ(a, b) TERN_COMPAT_COMPARE(a, b, ==)
/// Throws Error unless both differ.
#define TORCH_CHECK_NE(a, b) TERN_COMPAT_COMPARE(a, b, !=)
/// Throws Error unless a < b.
#define TORCH_CHECK_LT(a, b) TERN_COMPAT_COMPARE(a, b, <)
/// Throws Error unless a <= b.
#define TORCH_CHECK_LE(a, b) TERN_COMPAT_COMPARE(a, b, <=)
/// Throws Error unless a > b.
#define TORCH_CHECK_GT(a, b) TERN_COMPAT_COMPARE(a, b, >)
/// Throws Error unless a >= b.
#define TORCH_CHECK_GE(a, b) TERN_COMPAT_COMPARE(a, b, >=)

/// The condition, which is likely true.
#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
/// The condition, which is likely false.
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))
/// The text of the argument as it is written.
#define C10_STRINGIZE_IMPL(text) #text
/// The text of the argument.
#define C10_STRINGIZE(text) C10_STRINGIZE_IMPL(text)

/// Gives a warning with the arguments as its text to the handler of this thread, or writes one line
/// to std::cerr if there is none: "Warning: text (net.cpp:12)".
#define TORCH_WARN(...)                                \
  ::tern::compat::warn(::tern::Warning::UserWarning(), \
                       {__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, __VA_ARGS__)
/// Does the same the first time that the line is reached.
#define TORCH_WARN_ONCE(...)                                               \
  do {                                                                     \
    static bool tern_warned = false;                                       \
    if (!std::exchange(tern_warned, true) || ::tern::compat::warns_always) \
      TORCH_WARN(__VA_ARGS__);                                             \
  } while (false)
/// TORCH_WARN() with a warning of the kind DeprecationWarning.
#define TORCH_WARN_DEPRECATION(...)                           \
  ::tern::compat::warn(::tern::Warning::DeprecationWarning(), \
                       {__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, __VA_ARGS__)

/// Calls a lambda in which `scalar_t` is the C++ type of the dtype `TYPE`, and returns its result.
/// The cases are those of AT_DISPATCH_CASE; another dtype throws NotImplementedError.
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                   \
  [&] {                                                                                       \
    const ::tern::ScalarType tern_dtype = (TYPE);                                             \
    switch (tern_dtype) {                                                                     \
      __VA_ARGS__                                                                             \
      default:                                                                                \
        ::tern::detail::raise<::tern::NotImplementedError>(                                   \
            '"', NAME, "\" not implemented for '", ::tern::dtype_info(tern_dtype).name, "'"); \
    }                                                                                         \
  }()
/// One dtype of AT_DISPATCH_SWITCH and its lambda.
#define AT_DISPATCH_CASE(TYPE, ...)                                      \
  case TYPE: {                                                           \
    using scalar_t [[maybe_unused]] = ::tern::compat::CppTypeOf<(TYPE)>; \
    return __VA_ARGS__();                                                \
  }
/// The cases of float32 and float64.
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) \
  AT_DISPATCH_CASE(::tern::kDouble, __VA_ARGS__) AT_DISPATCH_CASE(::tern::kFloat, __VA_ARGS__)
/// The cases of the integers, without bool.
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)    \
  AT_DISPATCH_CASE(::tern::kByte, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::tern::kChar, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::tern::kShort, __VA_ARGS__) \
  AT_DISPATCH_CASE(::tern::kInt, __VA_ARGS__)   \
  AT_DISPATCH_CASE(::tern::kLong, __VA_ARGS__)
/// The cases of the integers, float32 and float64.
#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)

/// AT_DISPATCH_SWITCH over float32 and float64.
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
/// AT_DISPATCH_FLOATING_TYPES with one more dtype.
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                      \
      TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__))
/// AT_DISPATCH_FLOATING_TYPES with two more dtypes.
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...)                                     \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                   \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__) \
                         AT_DISPATCH_CASE(B, __VA_ARGS__))
/// AT_DISPATCH_FLOATING_TYPES with float16.
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND(::tern::kHalf, TYPE, NAME, __VA_ARGS__)
/// AT_DISPATCH_SWITCH over the integers, without bool.
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
/// AT_DISPATCH_SWITCH over the integers, float32 and float64.
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
/// AT_DISPATCH_ALL_TYPES with one more dtype.
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                      \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__))
/// AT_DISPATCH_ALL_TYPES with two more dtypes.
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...)                                     \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                              \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__) \
                         AT_DISPATCH_CASE(B, __VA_ARGS__))
/// AT_DISPATCH_ALL_TYPES with three more dtypes.
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, TYPE, NAME, ...)                                  \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                              \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__) \
                         AT_DISPATCH_CASE(B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__))

namespace tern::compat {

/// Thrown by TORCH_CHECK_VALUE. tern's own errors for wrong values are Error.
class ValueError : public Error {
 public:
  using Error::Error;
};
/// Thrown by TORCH_CHECK_TYPE. tern's own errors for wrong dtypes are DTypeError.
class TypeError : public Error {
 public:
  using Error::Error;
};

/// Throws E with the message of a failed TORCH_CHECK.
template <class E, class... Parts>
[[noreturn]] void check_failed(const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0) {
    tern::detail::raise<E>("Expected ", condition, " to be true, but got false.");
  } else {
    tern::detail::raise<E>(parts...);
  }
}

/// Whether TORCH_WARN_ONCE() warns each time.
inline bool warns_always = false;

/// Gives a warning to the handler of this thread, or writes it to std::cerr.
TERN_API void give(const Warning& warning);

/// Makes and gives a warning.
template <class... Parts>
void warn(Warning::warning_variant_t type, SourceLocation at, const Parts&... parts) {
  give(Warning(type, at, tern::detail::text_of(parts...), false));
}

/// Returns "" if `holds(a, b)`, else the text of a failed TORCH_CHECK_EQ or its kin.
template <class A, class B, class Holds>
std::string compared(const char* text, const A& a, const B& b, const Holds& holds) {
  if (holds(a, b)) return {};
  return tern::detail::text_of(text, " (", a, " vs. ", b, "). ");
}

/// Throws Error at its end, with a text that is streamed into it.
class FailedCheck {
 public:
  /// Begins the text.
  explicit FailedCheck(std::string text) : text_(std::move(text)) {}
  FailedCheck(const FailedCheck&) = delete;
  FailedCheck& operator=(const FailedCheck&) = delete;
  // NOLINTNEXTLINE(bugprone-exception-escape): the end of the statement that a macro begins
  ~FailedCheck() noexcept(false) { throw Error(text_); }
  /// Takes more of the text.
  template <class T>
  FailedCheck& operator<<(const T& part) {
    text_ += tern::detail::text_of(part);
    return *this;
  }

 private:
  std::string text_;
};

namespace detail {
template <ScalarType kDtype>
struct CppType;
#define TERN_DTYPE(name, cpp, number, file_name, python_name, category) \
  template <>                                                           \
  struct CppType<ScalarType::name> {                                    \
    using type = cpp;                                                   \
  };
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
}  // namespace detail

/// The C++ type of the elements of a dtype.
template <ScalarType kDtype>
using CppTypeOf = typename detail::CppType<kDtype>::type;

}  // namespace tern::compat
