#pragma once

#include <algorithm>
#include <type_traits>

#include <tern/backends/cpu/kernels/gemm_pack.h>
#include <tern/backends/cpu/kernels/gemm_problem.h>
#include <tern/backends/cpu/kernels/gemm_tile.h>

// Computes a product by tiles of C. For each block of k, B is packed once and A strip by strip, so
// that the tiles read memory that stays in the caches.

namespace tern::cpu {

/// The sizes of a packed strip of A (first-level cache) and of packed B (second-level cache).
inline constexpr std::int64_t kStripBytes = std::int64_t{12} << 10;
inline constexpr std::int64_t kBlockBytes = std::int64_t{512} << 10;
/// With fewer strips, contiguous rows of B are not read often enough for packing to pay off.
inline constexpr std::int64_t kStripsWorthPacking = 4;
/// The largest k for a C with contiguous columns, which is written in one pass, not block by block.
inline constexpr std::int64_t kTurnedMaxK = 2048;

/// The work of one thread: the units [begin, end) of the rows [row_begin, row_end). A unit is a
/// strip of rows times a vector of columns; units are counted down the columns of C.
struct Share {
  std::int64_t row_begin, row_end, begin, end;
};

template <class E, int kRows>
void multiply_vectors(std::int64_t vectors, const TileInput<E>& in,
                      const TileOutput<NumberOf<E>>& out) {
  switch (vectors) {
    case 1:
      return multiply_tile<E, kRows, 1>(in, out);
    case 2:
      return multiply_tile<E, kRows, 2>(in, out);
    case kTileVectors:
      return multiply_tile<E, kRows, kTileVectors>(in, out);
    default:
      if constexpr (kRows == 1) multiply_tile<E, 1, kRowVectors>(in, out);
  }
}

/// A block of k times some vectors of columns of B, packed into elements of type E.
template <class E>
class Block {
 public:
  using T = NumberOf<E>;
  static constexpr int kWidth = Simd<T>::kWidth;
  static constexpr int kSteps = PackedElement<E>::kSteps;

  /// `b_memory` has room for the vectors, `a_memory` for a strip.
  Block(const Problem<T>& problem, std::int64_t k_begin, std::int64_t k_end, bool direct_b,
        E* b_memory, E* a_memory)
      : problem_(problem),
        k_(k_end - k_begin),
        elements_(divide_up(k_, kSteps)),
        a_(problem.a.data + k_begin * problem.a.column),
        b_(problem.b.data + k_begin * problem.b.row),
        direct_vectors_(direct_b ? problem.n / kWidth : 0),
        packed_b_(b_memory),
        packed_a_(a_memory) {
    const bool last = k_end == problem.k;
    output_.alpha = problem.alpha;
    output_.beta = k_begin == 0 ? problem.beta : T(1);
    output_.bias = last ? problem.bias : nullptr;
  }

  void pack_b(std::int64_t begin, std::int64_t end) {
    first_packed_ = std::max(begin, direct_vectors_);
    for (std::int64_t vector = first_packed_; vector < end; ++vector) {
      pack_steps<kWidth>(packed_b(vector), b_ + vector * kWidth * problem_.b.column,
                         problem_.b.column, problem_.b.row, lanes(vector), k_);
    }
  }

  /// Multiplies a strip of rows by the vectors [begin, end).
  void multiply(std::int64_t row, std::int64_t row_end, std::int64_t begin, std::int64_t end) {
    const std::int64_t rows = row_end - row;
    if (rows >= kTileRows) return multiply_rows<kTileRows>(row, begin, end);
    if constexpr (kTileRows == 8) {
      if ((rows & 4) != 0) multiply_rows<4>(row, begin, end);
    }
    if ((rows & 2) != 0) multiply_rows<2>(row + (rows & 4), begin, end);
    if ((rows & 1) != 0) multiply_rows<1>(row + (rows & 6), begin, end);
  }

 private:
  /// True if operands may be read without packing.
  static constexpr bool kInPlace = std::is_same_v<T, E>;

  int lanes(std::int64_t vector) const {
    return static_cast<int>(std::min<std::int64_t>(kWidth, problem_.n - vector * kWidth));
  }
  E* packed_b(std::int64_t vector) const {
    return packed_b_ + (vector - first_packed_) * elements_ * kWidth;
  }

  template <int kRows>
  void multiply_rows(std::int64_t row, std::int64_t begin, std::int64_t end) {
    const T* const a = a_ + row * problem_.a.row;
    TileInput<E> in{packed_a_, kRows, nullptr, 0, 0, elements_};
    if constexpr (kRows == 1 && kInPlace) {
      in.a = a;
      in.a_step = problem_.a.column;
    } else {
      pack_steps<kRows>(packed_a_, a, problem_.a.row, problem_.a.column, kRows, k_);
    }
    for (std::int64_t vector = begin; vector < end;) {
      const bool direct = vector < direct_vectors_;
      const std::int64_t left = (direct ? std::min(end, direct_vectors_) : end) - vector;
      const std::int64_t count = kRows == 1 && left >= kRowVectors
                                     ? kRowVectors
                                     : std::min<std::int64_t>(kTileVectors, left);
      in.b = packed_b(vector);
      in.b_step = kWidth;
      in.b_vector = elements_ * kWidth;
      if constexpr (kInPlace) {
        if (direct) in.b = b_ + vector * kWidth, in.b_step = problem_.b.row, in.b_vector = kWidth;
      }
      multiply_columns<kRows>(row, vector, count, in);
      vector += count;
    }
  }

  template <int kRows>
  void multiply_columns(std::int64_t row, std::int64_t vector, std::int64_t count,
                        const TileInput<E>& in) const {
    const std::int64_t column = vector * kWidth;
    TileOutput<T> out = output_;
    out.last_lanes = lanes(vector + count - 1);
    if (problem_.c.column == 1) {
      out.c = problem_.c.data + row * problem_.c.row + column;
      out.c_row = problem_.c.row;
      if (out.bias != nullptr) out.bias += column;
      multiply_vectors<E, kRows>(count, in, out);
    } else {
      constexpr int kMostVectors = kRows == 1 ? kRowVectors : kTileVectors;
      alignas(kVectorBytes) T tile[kRows * kMostVectors * kWidth];
      out.c = tile;
      out.c_row = kMostVectors * kWidth;
      multiply_vectors<E, kRows>(count, in, out);
      pack<T, kRows>(problem_.c.data + column * problem_.c.column + row, problem_.c.column, tile,
                     out.c_row, 1, kRows, std::min(count * kWidth, problem_.n - column));
    }
  }

  const Problem<T>& problem_;
  const std::int64_t k_, elements_;
  const T* const a_;
  const T* const b_;
  const std::int64_t direct_vectors_;  // number of vectors that are read without packing
  std::int64_t first_packed_ = 0;
  E* const packed_b_;
  E* const packed_a_;
  TileOutput<T> output_{};
};

/// Computes a share; returns false if out of memory. If C has contiguous columns (a turned
/// problem), beta and bias are not supported.
template <class E>
bool multiply_packed(const Problem<NumberOf<E>>& problem, const Share& share) {
  using T = NumberOf<E>;
  constexpr std::int64_t kSteps = PackedElement<E>::kSteps;
  const std::int64_t strips = divide_up(share.row_end - share.row_begin, kTileRows);
  // The first and the last vector of columns may be shared with other threads.
  const std::int64_t first_vector = share.begin / strips, first_strip = share.begin % strips;
  const std::int64_t last_vector = share.end / strips, last_strip = share.end % strips;
  const std::int64_t end_vector = last_vector + (last_strip > 0 ? 1 : 0);

  const std::int64_t elements = divide_up(problem.k, kSteps);
  const std::int64_t strip_bytes = elements * kTileRows * static_cast<std::int64_t>(sizeof(E));
  const std::int64_t blocks =
      problem.c.column != 1 || elements == 0 ? 1 : divide_up(strip_bytes, kStripBytes);
  const std::int64_t block_elements = divide_up(elements, blocks);
  const std::int64_t vectors_at_once = std::min(
      end_vector - first_vector,
      std::max<std::int64_t>(kTileVectors, kBlockBytes / (block_elements * kVectorBytes + 1)));
  const std::int64_t b_size = vectors_at_once * block_elements * Simd<T>::kWidth;
  E* const memory = scratch_of<E>(b_size + block_elements * kTileRows);
  if (memory == nullptr) return false;

  const bool direct_b =
      std::is_same_v<T, E> && problem.b.column == 1 && strips < kStripsWorthPacking;
  for (std::int64_t number = 0; number < blocks; ++number) {
    const std::int64_t k_begin = elements * number / blocks * kSteps;
    const std::int64_t k_end = std::min(problem.k, elements * (number + 1) / blocks * kSteps);
    Block<E> block(problem, k_begin, k_end, direct_b, memory, memory + b_size);
    for (std::int64_t begin = first_vector; begin < end_vector; begin += vectors_at_once) {
      const std::int64_t end = std::min(begin + vectors_at_once, end_vector);
      block.pack_b(begin, end);
      for (std::int64_t strip = 0; strip < strips; ++strip) {
        const std::int64_t from = std::max(begin, first_vector + (strip < first_strip ? 1 : 0));
        const std::int64_t to = std::min(end, last_vector + (strip < last_strip ? 1 : 0));
        const std::int64_t row = share.row_begin + strip * kTileRows;
        if (from < to) block.multiply(row, std::min(row + kTileRows, share.row_end), from, to);
      }
    }
  }
  return true;
}

}  // namespace tern::cpu
