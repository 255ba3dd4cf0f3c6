#pragma once

#include <cstdint>

// The instructions of AMX for tiles of 16 rows of 64 bytes. They are functions, because no machine
// of the project has AMX: tests define TERN_AMX_EMULATED and their own functions before this
// header. GCC's intrinsics take only literals as tiles, so the functions contain their assembly.

#if defined(__AMX_BF16__) && !defined(TERN_AMX_EMULATED)
#include <immintrin.h>

namespace tern::cpu::amx {

/// Gives all eight tiles of the thread 16 rows of 64 bytes.
inline void configure() {
  struct alignas(64) Configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  static constexpr Configuration kConfiguration;
  _tile_loadconfig(&kConfiguration);
}

/// Frees the tiles; the thread's state is smaller without them.
inline void release() { _tile_release(); }

template <int tile>
void clear() {
  asm volatile("tilezero %%tmm%c0" ::"i"(tile));
}
/// Loads rows that start `stride` bytes apart.
template <int tile>
void load(const void* from, std::int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(tile) : "memory");
}
template <int tile>
void store(void* to, std::int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(tile) : "memory");
}
/// Adds to float (i, j) of `sum` the products of the pairs (i, p) of `a` and (p, j) of `b`.
template <int sum, int a, int b>
void dot() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(sum), "i"(a), "i"(b));
}

}  // namespace tern::cpu::amx
#endif
