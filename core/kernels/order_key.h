#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/host_device.h>
#include <tern/core/tensor/dtype.h>

// Sorting kernels compare unsigned integers instead of elements, so that one algorithm serves all
// dtypes.

namespace tern::kernels {

/// The unsigned integer with the bits of an element of type T.
template <class T>
using KeyBits = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The key of every NaN of type T.
template <class T>
inline constexpr std::uint64_t kNanKey = static_cast<KeyBits<T>>(-1);

/// The bits of infinity.
template <class T>
inline constexpr KeyBits<T> kInfinityBits = std::is_same_v<T, Half>       ? 0x7c00
                                            : std::is_same_v<T, BFloat16> ? 0x7f80
                                            : std::is_same_v<T, float>
                                                ? 0x7f800000
                                                : static_cast<KeyBits<T>>(0x7ff0000000000000);

/// Returns an integer with the order of the elements: larger elements have larger keys. -0 has the
/// key of 0, and every NaN the largest key.
template <class T>
TERN_HOST_DEVICE std::uint64_t order_key(T x) {
  using Bits = KeyBits<T>;
  constexpr auto kTop = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  if constexpr (is_floating_point(dtype_of<T>())) {
    const Bits bits = std::bit_cast<Bits>(x);
    const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(kTop - 1));
    const auto key = static_cast<Bits>((bits & kTop) != 0 ? kTop - magnitude : kTop + magnitude);
    return magnitude > kInfinityBits<T> ? static_cast<Bits>(-1) : key;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(static_cast<Bits>(x) ^ kTop);
  } else {
    return static_cast<Bits>(x);
  }
}

}  // namespace tern::kernels
