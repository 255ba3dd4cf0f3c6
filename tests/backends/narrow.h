#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include <tern/core/base/bfloat16.h>
#include <tern/core/base/half.h>

#include "backends/kernel_test.h"

// Elements of the narrow dtypes, for tests.

namespace tern::testing {

template <class T>
constexpr bool kIsFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Returns any integer, or a floating number that is sometimes special.
template <class T>
T sample(Noise& noise) {
  if constexpr (kIsFloat<T>) {
    constexpr std::uint16_t kSpecial[] = {0,      0x8000, 1,      0x7c00, 0xfc00,
                                          0x7e00, 0x7f80, 0xff80, 0x7fc0};
    if (noise.bits() % 16 == 0) return T::from_bits(kSpecial[noise.bits() % std::size(kSpecial)]);
    return T(noise.uniform(-8, 8));
  } else {
    return static_cast<T>(noise.bits() >> 8);
  }
}

/// Returns the number of representable numbers between two numbers; 0 for two NaNs.
template <class T>
std::int64_t steps(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const auto rank = [](T x) -> std::int64_t {
      const std::int64_t size = x.bits & 0x7fff;
      return x.bits > size ? -size : size;
    };
    const bool nan_a = std::isnan(float(a)), nan_b = std::isnan(float(b));
    return nan_a || nan_b ? (nan_a && nan_b ? 0 : 1 << 20) : std::abs(rank(a) - rank(b));
  } else {
    return std::abs(std::int64_t{a} - std::int64_t{b});
  }
}

}  // namespace tern::testing
