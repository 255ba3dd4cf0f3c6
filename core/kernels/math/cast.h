#pragma once

#include <limits>
#include <type_traits>

#include <tern/core/base/bfloat16.h>
#include <tern/core/base/half.h>
#include <tern/core/kernels/host_device.h>

namespace tern::kernels {

/// Returns x as an element of type Out, by the rules of CopyArgs.
template <class Out, class In>
TERN_HOST_DEVICE Out cast(In x) {
  constexpr bool kFromSmallFloat = std::is_same_v<In, Half> || std::is_same_v<In, BFloat16>;
  constexpr bool kToSmallFloat = std::is_same_v<Out, Half> || std::is_same_v<Out, BFloat16>;
  if constexpr (std::is_same_v<Out, In>) {
    return x;
  } else if constexpr (kFromSmallFloat) {
    return cast<Out>(static_cast<float>(x));
  } else if constexpr (kToSmallFloat) {
    return Out(static_cast<float>(x));
  } else if constexpr (std::is_same_v<Out, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<In> && std::is_integral_v<Out>) {
    // Narrow integers are the low bits of an int32, uint8 the low bits of an int64.
    using Wider =
        std::conditional_t<sizeof(Out) == 8 || std::is_unsigned_v<Out>, std::int64_t, std::int32_t>;
    // As on x86: NaN and values that do not fit give the smallest integer.
    constexpr In kLimit = -static_cast<In>(std::numeric_limits<Wider>::min());
    const bool fits = x >= -kLimit && x < kLimit;
    return static_cast<Out>(fits ? static_cast<Wider>(x) : std::numeric_limits<Wider>::min());
  } else {
    return static_cast<Out>(x);
  }
}

}  // namespace tern::kernels
