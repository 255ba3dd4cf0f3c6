#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// AMX in plain C++, as Intel's manual documents the instructions, for gemm_amx_tiles.h.

namespace tern::cpu::amx {

/// The eight tiles of a thread. On a processor an access to tiles that are not configured is an
/// invalid instruction; here it is one, too.
struct Tiles {
  bool configured = false;
  std::uint32_t rows[8][16][16];

  auto& operator[](int tile) {
    if (!configured) __builtin_trap();
    return rows[tile];
  }
};
inline thread_local Tiles tiles;

inline void configure() {
  if (tiles.configured) __builtin_trap();  // once per region
  std::memset(tiles.rows, 0, sizeof tiles.rows);
  tiles.configured = true;
}
inline void release() { tiles.configured = false; }

template <int tile>
void clear() {
  std::memset(tiles[tile], 0, sizeof tiles[tile]);
}
template <int tile>
void load(const void* from, std::int64_t stride) {
  for (int row = 0; row < 16; ++row) {
    std::memcpy(tiles[tile][row], static_cast<const char*>(from) + row * stride, 64);
  }
}
template <int tile>
void store(void* to, std::int64_t stride) {
  for (int row = 0; row < 16; ++row) {
    std::memcpy(static_cast<char*>(to) + row * stride, tiles[tile][row], 64);
  }
}

/// Denormal operands and results are zero, whatever the mode of the thread.
inline float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

inline float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return flushed(x);
}

/// TDPBF16PS: the even and the odd products of a row are added apart, then both sums to the tile.
template <int sum, int a, int b>
void dot() {
  for (int i = 0; i < 16; ++i) {
    float even[16] = {}, odd[16] = {};
    for (int p = 0; p < 16; ++p) {
      const std::uint32_t x = tiles[a][i][p];
      for (int j = 0; j < 16; ++j) {
        const std::uint32_t y = tiles[b][p][j];
        even[j] = flushed(std::fma(float_of(x << 16), float_of(y << 16), even[j]));
        odd[j] = flushed(std::fma(float_of(x & 0xffff0000u), float_of(y & 0xffff0000u), odd[j]));
      }
    }
    for (int j = 0; j < 16; ++j) {
      const float total = flushed(float_of(tiles[sum][i][j]) + flushed(even[j] + odd[j]));
      std::memcpy(&tiles[sum][i][j], &total, sizeof total);
    }
  }
}

}  // namespace tern::cpu::amx
