#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tern/core/base/narrow_float.h>

namespace tern {
namespace detail {

/// Returns the exact value of a bfloat16.
constexpr float float_of_bfloat16(std::uint16_t bfloat16) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat16) << 16);
}

/// Returns the nearest bfloat16, ties to even; NaN stays NaN.
constexpr std::uint16_t bfloat16_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(is_nan ? bits >> 16 | 0x40u : rounded);
}

}  // namespace detail

/// The element type of kBFloat16: the upper half of a float, with 8 bits of precision and float's
/// range. Arithmetic is done in float: see NarrowFloat.
struct BFloat16 : detail::NarrowAssignment<BFloat16> {
  /// The bit pattern: sign, 8 exponent bits, 7 fraction bits.
  std::uint16_t bits;

  /// Leaves the bits uninitialised.
  BFloat16() = default;
  /// Rounds to the nearest bfloat16, ties to even. Doubles and integers become float first, as in
  /// PyTorch.
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr BFloat16(T value) : bits(detail::bfloat16_of_float(static_cast<float>(value))) {}
  /// Returns the number with this bit pattern.
  static constexpr BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 bfloat16(0.0f);
    bfloat16.bits = bits;
    return bfloat16;
  }
  /// Converts to float, exactly.
  constexpr operator float() const { return detail::float_of_bfloat16(bits); }
};
template <>
inline constexpr bool detail::kIsNarrowFloat<BFloat16> = true;

}  // namespace tern

/// The limits of BFloat16.
template <>
class std::numeric_limits<tern::BFloat16>
    : public tern::detail::NarrowLimits<tern::BFloat16, 8, 128> {};
