#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Parameters that refuse the silent conversions of C++ between bool, integers and text. Otherwise a
// text would become true, true would become dimension 1 or device 1, and 1 would become true.

namespace tern {

namespace detail {

/// True for bool and the elements of std::vector<bool>.
template <class T>
inline constexpr bool kIsBool =
    std::is_same_v<T, bool> || std::is_same_v<T, std::vector<bool>::reference>;

/// Satisfied by bool, and by a class that converts directly to bool, such as std::true_type. The
/// braces refuse a class that converts to an integer or a pointer first.
template <class T>
concept BoolArgument = kIsBool<T> ||
    (std::is_class_v<T>&& std::is_convertible_v<const T&, bool>&& requires(const T& value) {
      bool{value};
    });

/// Satisfied by a string or a pointer to characters, but not by nullptr or 0.
template <class T>
concept TextArgument = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
    (std::is_convertible_v<const T&, const char*> && !std::is_null_pointer_v<T>);

/// Satisfied by every type that converts to an integer, except bool.
template <class T>
concept IntArgument = !BoolArgument<T> && std::is_convertible_v<const T&, std::int64_t>;

/// Satisfied by every type that converts to double, except bool.
template <class T>
concept NumberArgument = !BoolArgument<T> && std::is_convertible_v<const T&, double>;

}  // namespace detail

/// A bool as a parameter. Accepts bool alone: text, pointers and numbers do not convert.
///
/// Example:
///   x.sum(0, true);
///   x.sum(0, 1);             // does not compile
///   x.to("cpu", "non_blocking");  // does not compile
class StrictBool {
 public:
  /// Takes a bool.
  template <class T>
  requires detail::BoolArgument<T>
  constexpr StrictBool(const T& value) : value_(static_cast<bool>(value)) {}
  /// Returns the bool.
  constexpr operator bool() const { return value_; }

 private:
  bool value_;
};

/// An integer as a parameter. Accepts any integer, but no bool.
///
/// Example:
///   x.softmax(-1);
///   x.softmax(true);  // does not compile
template <class I>
class StrictInteger {
 public:
  /// Takes an integer.
  template <class T>
  requires detail::IntArgument<T>
  constexpr StrictInteger(const T& value) : value_(static_cast<I>(value)) {}
  /// Returns the integer.
  constexpr operator I() const { return value_; }

 private:
  I value_;
};

/// An int64 as a parameter: a dimension, an index, a count. No bool converts to it.
using StrictInt = StrictInteger<std::int64_t>;

/// A real number as a parameter. Accepts integers and floating numbers, but no bool.
///
/// Example:
///   x.var(0, 1.5);   // the correction
///   x.var(0, true);  // `unbiased`
class StrictNumber {
 public:
  /// Takes a number.
  template <class T>
  requires detail::NumberArgument<T>
  constexpr StrictNumber(const T& value) : value_(static_cast<double>(value)) {}
  /// Returns the number.
  constexpr operator double() const { return value_; }

 private:
  double value_;
};

namespace detail {

/// The parameter type for a value of type T: StrictBool for bool, StrictInt for int64, T otherwise.
template <class T>
using Argument =
    std::conditional_t<std::is_same_v<T, bool>, StrictBool,
                       std::conditional_t<std::is_same_v<T, std::int64_t>, StrictInt, T>>;

}  // namespace detail

}  // namespace tern
