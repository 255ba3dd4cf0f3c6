#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tern {
namespace detail {

/// The value of an IEEE half, exactly; NaN keeps its bits. Free of branches and of denormal floats,
/// so that loops over it become vector code and a flush-to-zero mode changes nothing.
constexpr float float_of_half(std::uint16_t half) {
  constexpr std::uint32_t kRebias = std::uint32_t{127 - 15} << 23;
  constexpr std::uint32_t kSmallestNormal = kRebias + (std::uint32_t{1} << 23);  // 2^-14
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t size = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  const std::uint32_t normal = size + kRebias;
  // A denormal half is a fraction on top of 2^-14, which is then taken away again.
  const float denormal =
      std::bit_cast<float>(size + kSmallestNormal) - std::bit_cast<float>(kSmallestNormal);
  const std::uint32_t finite =
      size < 0x0400u << 13 ? std::bit_cast<std::uint32_t>(denormal) : normal;
  return std::bit_cast<float>(sign | (size < 0x7c00u << 13 ? finite : normal + kRebias));
}

/// The nearest half, ties to even; 65520 and more is infinite, NaN stays NaN.
constexpr std::uint16_t half_of_float(float value) {
  constexpr std::uint32_t kSmallestNormal = std::uint32_t{127 - 14} << 23;
  constexpr std::uint32_t kTooLarge = std::uint32_t{127 + 16} << 23;
  constexpr std::uint32_t kInfinity = 0x7f800000u;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t size = bits & 0x7fffffffu;
  // Rebiased and rounded: plus half of the last place, or a little less where that is even.
  const std::uint32_t normal =
      (size - (std::uint32_t{127 - 15} << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  // 0.5 has the denormal half's last place, so this addition rounds there.
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) -
                                 std::bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t special = size > kInfinity ? 0x7e00u | (size >> 13 & 0x3ffu) : 0x7c00u;
  const std::uint32_t finite = size < kSmallestNormal ? denormal : normal;
  return static_cast<std::uint16_t>(sign | (size < kTooLarge ? finite : special));
}

}  // namespace detail

/// The element of kHalf: IEEE 754 binary16, with 11 bits of precision up to 65504. It only stores:
/// arithmetic happens in the float that it converts to, and rounds when it is stored again.
struct Half {
  /// The bit pattern: sign, 5 exponent bits, 10 fraction bits.
  std::uint16_t bits;

  /// Leaves the bits uninitialised.
  Half() = default;
  /// Rounds to the nearest half, ties to even; from 65520 on to infinity. Doubles and integers
  /// become float first, as in PyTorch.
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

}  // namespace tern
