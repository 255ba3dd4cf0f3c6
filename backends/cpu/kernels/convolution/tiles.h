#pragma once

#include <tern/backends/cpu/kernels/gemm/packed.h>
#include <tern/core/base/thread_pool.h>

// How convolutions divide their products among threads and into tiles.

namespace tern::cpu {

/// The number of multiplications that is worth a thread.
inline constexpr std::int64_t kConvolutionWorkPerThread = 1 << 16;

/// Returns how many threads share this many multiplications.
inline int convolution_threads(std::int64_t multiplications) {
  const std::int64_t most = multiplications / kConvolutionWorkPerThread;
  if (most < 2 || in_parallel_region()) return 1;
  return static_cast<int>(std::min<std::int64_t>(most, get_num_threads()));
}

/// The most steps of a product at once: the first-level cache then holds what a
/// tile reads of B.
inline constexpr std::int64_t kTileSteps = (20 << 10) / (kTileVectors * kVectorBytes);

/// Multiplies `rows` rows of A by `vectors` vectors of B, of which the last has output.last_lanes
/// valid lanes. `input` and `output` are those of the first tile. Groups of rows stay in the
/// second-level cache, and what the tiles of a group read of B in the first-level cache.
template <class E>
[[gnu::noinline]] void multiply_tiles(std::int64_t rows, std::int64_t vectors,
                                      const TileInput<E>& input,
                                      const TileOutput<NumberOf<E>>& output) {
  using T = NumberOf<E>;
  constexpr std::int64_t kGroup = 256, kWidth = kLanes<T>;
  static_assert(kGroup % kTileRows == 0);
  for (std::int64_t group = 0; group < rows; group += kGroup) {
    const std::int64_t end = std::min(group + kGroup, rows);
    for (std::int64_t vector = 0; vector < vectors;) {
      // Nearly equal tiles keep more sums in registers than a last small one.
      const std::int64_t left = vectors - vector;
      std::int64_t count = left == 4 ? 2 : std::min<std::int64_t>(kTileVectors, left);
      if (rows == 1 && left >= kRowVectors) count = kRowVectors;
      TileInput<E> in = input;
      TileOutput<T> out = output;
      in.b += vector * in.b_vector;
      if (out.bias != nullptr) out.bias += vector * kWidth;
      if (vector + count < vectors) out.last_lanes = static_cast<int>(kWidth);
      std::int64_t row = group;
      const auto strip = [&]<int kRows>(std::integral_constant<int, kRows>) {
        in.a = input.a + row * in.a_row;
        out.c = output.c + row * out.c_row + vector * kWidth;
        multiply_vectors<E, kRows>(count, in, out);
        row += kRows;
      };
      while (row + kTileRows <= end) strip(std::integral_constant<int, kTileRows>());
      if constexpr (kTileRows == 8) {
        if (((end - row) & 4) != 0) strip(std::integral_constant<int, 4>());
      }
      if (((end - row) & 2) != 0) strip(std::integral_constant<int, 2>());
      if (row < end) strip(std::integral_constant<int, 1>());
      vector += count;
    }
  }
}

/// Stores the transposed matrix of sums: to[c * to_row + r] = from[r * from_row + c].
template <class T>
void store_transposed(T* to, std::int64_t to_row, const T* from, std::int64_t from_row,
                      std::int64_t rows, std::int64_t columns) {
  for (; rows >= kTileRows; rows -= kTileRows, to += kTileRows, from += kTileRows * from_row) {
    pack<T, kTileRows>(to, to_row, from, from_row, 1, kTileRows, columns);
  }
  for (; rows > 0; --rows, ++to, from += from_row) {
    for (std::int64_t c = 0; c < columns; ++c) to[c * to_row] = from[c];
  }
}

}  // namespace tern::cpu
