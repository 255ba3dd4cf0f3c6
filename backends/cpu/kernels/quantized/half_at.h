#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include <tern/core/base/half.h>

namespace tern::cpu {

/// Returns the half at an address.
inline float half_at(const std::uint8_t* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
#if defined(__AVX2__)
  return _cvtsh_ss(bits);
#else
  return detail::float_of_half(bits);
#endif
}

}  // namespace tern::cpu
