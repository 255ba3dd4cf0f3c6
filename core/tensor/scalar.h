#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include <tern/core/base/error.h>
#include <tern/core/base/strict.h>
#include <tern/core/tensor/dtype.h>

namespace tern {

namespace detail {
/// Returns the name of an integral type in messages: int64_t, uint8_t.
template <class T>
constexpr const char* integer_name() {
  constexpr const char* kNames[][4] = {{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
                                       {"int8_t", "int16_t", "int32_t", "int64_t"}};
  constexpr std::size_t kLog2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return kNames[std::is_signed_v<T>][kLog2];
}

/// The largest finite number of a floating type, and the name of the type in messages.
template <class T>
struct FloatingLimit;
template <>
struct FloatingLimit<float> {
  static constexpr double kLargest = std::numeric_limits<float>::max();
  static constexpr const char* kName = "float";
};
template <>
struct FloatingLimit<Half> {
  static constexpr double kLargest = 65504;
  static constexpr const char* kName = "c10::Half";
};
template <>
struct FloatingLimit<BFloat16> {
  static constexpr double kLargest = 0x1.fep127;
  static constexpr const char* kName = "c10::BFloat16";
};
}  // namespace detail

/// One number of any dtype: the 2 of `x + 2`, and the result of `item()`. Stores integers as int64
/// and floating numbers as double.
class TERN_API Scalar {
 public:
  /// Makes the integer 0.
  Scalar() : Scalar(0) {}
  /// Stores a C++ number: bool, integer or floating point. Throws Error for an unsigned number that
  /// int64 cannot hold.
  template <class T>
  requires std::is_arithmetic_v<T> Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      category_ = DtypeCategory::kBoolean;
      integer_ = value ? 1 : 0;
    } else if constexpr (std::is_integral_v<T>) {
      category_ = DtypeCategory::kIntegral;
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
        TERN_CHECK(value <= std::numeric_limits<std::int64_t>::max(), Error,
                   "value cannot be converted to type int64_t without overflow: ", value);
      }
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8_t is a number.
      integer_ = static_cast<std::int64_t>(value);
    } else {
      category_ = DtypeCategory::kFloating;
      floating_ = static_cast<double>(value);
    }
  }

  /// Stores a half as a floating number.
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}
  /// Stores a bfloat16 as a floating number.
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}

  /// Returns the kind of number: boolean, integral or floating.
  DtypeCategory category() const { return category_; }
  /// Returns true for a floating number.
  bool is_floating_point() const { return category_ == DtypeCategory::kFloating; }
  /// Returns true for an integer, false for a bool.
  bool is_integral() const { return category_ == DtypeCategory::kIntegral; }
  /// Returns true for a bool.
  bool is_boolean() const { return category_ == DtypeCategory::kBoolean; }
  /// Returns the same as is_floating_point().
  bool isFloatingPoint() const { return is_floating_point(); }
  /// Returns true for an integer, and for a bool if `include_bool` is true.
  bool isIntegral(StrictBool include_bool) const {
    return is_integral() || (include_bool && is_boolean());
  }
  /// Returns the same as is_boolean().
  bool isBoolean() const { return is_boolean(); }
  /// Returns false: there are no complex numbers.
  bool isComplex() const { return false; }
  /// Returns the dtype that holds the number as it is stored: Bool, Long or Double.
  ScalarType type() const { return is_floating_point() ? kDouble : is_integral() ? kLong : kBool; }
  /// Returns the dtype of a tensor made of this number: bool, int64 or the default dtype.
  ScalarType dtype() const;

  /// Returns the value as T. Floating numbers are truncated towards zero for integers, and -1 is
  /// the largest number of an unsigned T. Throws Error when a finite value does not fit ("value
  /// cannot be converted to type float without overflow"); infinities and NaN fit floating types.
  template <class T>
  T to() const;

  /// Returns the value as a double.
  double toDouble() const { return to<double>(); }
  /// Returns the value as a float. Throws Error when a finite value does not fit.
  float toFloat() const { return to<float>(); }
  /// Returns the value as an int64. Throws Error when it does not fit.
  std::int64_t toLong() const { return to<std::int64_t>(); }
  /// Returns the value as an int. Throws Error when it does not fit.
  int toInt() const { return to<int>(); }
  /// Returns the value as an int16. Throws Error when it does not fit.
  std::int16_t toShort() const { return to<std::int16_t>(); }
  /// Returns the value as an int8. Throws Error when it does not fit.
  std::int8_t toChar() const { return to<std::int8_t>(); }
  /// Returns the value as a uint8. Throws Error when it does not fit.
  std::uint8_t toByte() const { return to<std::uint8_t>(); }
  /// Returns the value as a Half. Throws Error when it does not fit.
  Half toHalf() const { return to<Half>(); }
  /// Returns the value as a BFloat16. Throws Error when it does not fit.
  BFloat16 toBFloat16() const { return to<BFloat16>(); }
  /// Returns true unless the value is 0.
  bool toBool() const { return to<bool>(); }

  /// Returns true when both are the same number; 1 and true are not.
  template <class T>
  requires std::is_arithmetic_v<T>
  bool equal(T other) const { return is_boolean() == std::is_same_v<T, bool> && *this == other; }
  /// Returns the negative number.
  Scalar operator-() const { return is_floating_point() ? Scalar(-floating_) : Scalar(-integer_); }
  /// Compares values, so that 1 and 1.0 are equal.
  friend bool operator==(const Scalar& a, const Scalar& b) {
    if (!a.is_floating_point() && !b.is_floating_point()) return a.integer_ == b.integer_;
    return a.toDouble() == b.toDouble();
  }

 private:
  DtypeCategory category_;
  union {
    double floating_;
    std::int64_t integer_;
  };
};

template <class T>
T Scalar::to() const {
  constexpr bool kIsNarrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
  if constexpr (kIsNarrow || std::is_same_v<T, float>) {
    using Limit = detail::FloatingLimit<T>;
    const double size = is_floating_point() ? (floating_ < 0 ? -floating_ : floating_) : 0;
    TERN_CHECK(!(size > Limit::kLargest) || size == std::numeric_limits<double>::infinity(), Error,
               "value cannot be converted to type ", Limit::kName,
               " without overflow: ", floating_);
  }
  if constexpr (kIsNarrow) {
    return is_floating_point() ? T(floating_) : T(integer_);
  } else if constexpr (std::is_same_v<T, bool>) {
    return is_floating_point() ? floating_ != 0.0 : integer_ != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return is_floating_point() ? static_cast<T>(floating_) : static_cast<T>(integer_);
  } else {
    constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
    // NOLINTNEXTLINE(bugprone-integer-division): max() is odd, and max() + 1 would overflow.
    constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
    if (is_floating_point()) {
      TERN_CHECK(floating_ > kLow - 1 && floating_ < kHigh, Error,
                 "value cannot be converted to type ", detail::integer_name<T>(),
                 " without overflow: ", floating_);
      return static_cast<T>(floating_);
    }
    constexpr auto kLargest = std::numeric_limits<T>::max();
    const bool wraps = std::is_unsigned_v<T> && integer_ < 0 &&
                       (sizeof(T) == 8 || integer_ >= -static_cast<std::int64_t>(kLargest));
    TERN_CHECK(wraps || static_cast<std::int64_t>(static_cast<T>(integer_)) == integer_, Error,
               "value cannot be converted to type ", detail::integer_name<T>(),
               " without overflow: ", integer_);
    return static_cast<T>(integer_);
  }
}

/// Prints the number; a bool as true or false.
TERN_API std::ostream& operator<<(std::ostream& out, const Scalar& scalar);

}  // namespace tern
