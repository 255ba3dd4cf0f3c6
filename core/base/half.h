#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tern/core/base/narrow_float.h>

namespace tern {
namespace detail {

/// Returns the exact value of an IEEE half; NaN keeps its bits. Uses neither branches nor denormal
/// floats, so that loops vectorise and a flush-to-zero mode changes nothing.
constexpr float float_of_half(std::uint16_t half) {
  constexpr std::uint32_t kRebias = std::uint32_t{127 - 15} << 23;
  constexpr std::uint32_t kSmallestNormal = kRebias + (std::uint32_t{1} << 23);  // 2^-14
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t size = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  const std::uint32_t normal = size + kRebias;
  // For a denormal half: 2^-14 plus the fraction, minus 2^-14.
  const float denormal =
      std::bit_cast<float>(size + kSmallestNormal) - std::bit_cast<float>(kSmallestNormal);
  const std::uint32_t finite =
      size < 0x0400u << 13 ? std::bit_cast<std::uint32_t>(denormal) : normal;
  return std::bit_cast<float>(sign | (size < 0x7c00u << 13 ? finite : normal + kRebias));
}

/// Returns the nearest half, ties to even. 65520 and more become infinity; NaN stays NaN.
constexpr std::uint16_t half_of_float(float value) {
  constexpr std::uint32_t kSmallestNormal = std::uint32_t{127 - 14} << 23;
  constexpr std::uint32_t kTooLarge = std::uint32_t{127 + 16} << 23;
  constexpr std::uint32_t kInfinity = 0x7f800000u;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t size = bits & 0x7fffffffu;
  // Rebiases the exponent and rounds: adds half a unit in the last place, or slightly less if even.
  const std::uint32_t normal =
      (size - (std::uint32_t{127 - 15} << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  // 0.5 has the same unit in the last place (2^-24) as a denormal half, so the sum rounds
  // correctly.
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) -
                                 std::bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t special = size > kInfinity ? 0x7e00u | (size >> 13 & 0x3ffu) : 0x7c00u;
  const std::uint32_t finite = size < kSmallestNormal ? denormal : normal;
  return static_cast<std::uint16_t>(sign | (size < kTooLarge ? finite : special));
}

}  // namespace detail

/// The element type of kHalf: IEEE 754 binary16, with 11 bits of precision up to 65504. Arithmetic
/// is done in float: see NarrowFloat.
struct Half : detail::NarrowAssignment<Half> {
  /// The bit pattern: sign, 5 exponent bits, 10 fraction bits.
  std::uint16_t bits;

  /// Leaves the bits uninitialised.
  Half() = default;
  /// Rounds to the nearest half, ties to even; values from 65520 on become infinity. Doubles and
  /// integers become float first, as in PyTorch.
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Half(T value) : bits(detail::half_of_float(static_cast<float>(value))) {}
  /// Returns the number with this bit pattern.
  static constexpr Half from_bits(std::uint16_t bits) {
    Half half(0.0f);
    half.bits = bits;
    return half;
  }
  /// Converts to float, exactly.
  constexpr operator float() const { return detail::float_of_half(bits); }
};
template <>
inline constexpr bool detail::kIsNarrowFloat<Half> = true;

}  // namespace tern

/// The limits of Half.
template <>
class std::numeric_limits<tern::Half> : public tern::detail::NarrowLimits<tern::Half, 11, 16> {};
