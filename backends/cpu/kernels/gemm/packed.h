#pragma once

#include <algorithm>
#include <type_traits>

#include <tern/backends/cpu/kernels/gemm/amx.h>
#include <tern/backends/cpu/kernels/gemm/finish.h>
#include <tern/backends/cpu/kernels/gemm/pack.h>
#include <tern/backends/cpu/kernels/gemm/problem.h>
#include <tern/backends/cpu/kernels/gemm/tile.h>

// Computes a product by tiles of C, block by block of k. The tiles read operands in place where
// that is faster. Otherwise B is packed once per block, and A strip by strip, so that the tiles
// read contiguous memory.

namespace tern::cpu {

/// The sizes of a strip of A (first-level cache) and of packed B (second-level cache).
inline constexpr std::int64_t kStripBytes = std::int64_t{12} << 10;
inline constexpr std::int64_t kBlockBytes = std::int64_t{512} << 10;
/// The most memory for sums between the blocks of k, unless a strip needs more. Rows beyond it are
/// computed later, which packs B again.
inline constexpr std::int64_t kSumsBytes = std::int64_t{2} << 20;
/// Measured: up to this many rows of A do not read B often enough for packing to pay off.
inline constexpr std::int64_t kMaxRowsInPlace = 256;
/// The largest k for a C with contiguous columns, which is written in one pass, not block by block.
inline constexpr std::int64_t kTurnedMaxK = 2048;

/// Returns true if the cache lines of elements `stride` apart compete for a few sets of the
/// first-level cache, and so are evicted before the rest of the line is read.
template <class T>
bool shares_cache_sets(std::int64_t stride) {
  constexpr std::int64_t kBytesOfAllSets = 4096;
  return stride * static_cast<std::int64_t>(sizeof(T)) % kBytesOfAllSets == 0;
}

/// Returns true if the tiles read A in place.
template <class E, class S>
bool reads_a_in_place(const Problem<S>& problem) {
  return std::is_same_v<S, E> && problem.a.column == 1;
}

/// Returns true if the tiles of `rows` rows read B in place.
template <class E, class S>
bool reads_b_in_place(const Problem<S>& problem, std::int64_t rows) {
  constexpr bool kVectorIsLine = kVectorBytes == 64;
  return std::is_same_v<S, E> && problem.b.column == 1 && rows <= kMaxRowsInPlace &&
         (kVectorIsLine || !shares_cache_sets<S>(problem.b.row));
}

/// Returns how many strips of A, each `elements` long, are packed at once. If the rows of a step
/// are contiguous in memory, a strip uses a part of each cache line; strips that share lines are
/// packed together, while the lines are in the cache.
template <class E, class S>
std::int64_t strips_packed_at_once(const Problem<S>& problem, std::int64_t elements) {
  constexpr std::int64_t kStepBytes = 256, kMostBytes = 8 * kStripBytes;
  constexpr std::int64_t kRowBytes = std::int64_t{kTileRows} * sizeof(E);
  if (!std::is_same_v<S, E> || problem.a.row != 1 || problem.a.column == 1) return 1;
  return std::clamp<std::int64_t>(kMostBytes / (elements * kRowBytes + 1), 1,
                                  kStepBytes / kRowBytes);
}

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

/// A block of k times some vectors of columns of B, packed from S into elements of type E.
template <class S, class E>
class Block {
 public:
  using T = SumOf<S>;
  static constexpr int kWidth = kLanes<T>;
  static constexpr int kSteps = PackedElement<E>::kSteps;

  /// True if the rows of A are multiplied by the tiles of AMX.
  static constexpr bool kIsAmx = kStripRows<E> != kTileRows;
  /// True if the sums of a tile are not elements of C.
  static constexpr bool kHasSums = !std::is_same_v<S, T> || kIsAmx;
  /// True if a single row is multiplied by narrow elements in place.
  static constexpr bool kRowInPlace = std::is_same_v<S, Narrow> && std::is_same_v<T, E>;

  /// `b_memory` has room for the vectors, `a_memory` for the strips that are packed at once.
  Block(const Problem<S>& problem, std::int64_t k_begin, std::int64_t k_end, bool direct_b,
        E* b_memory, E* a_memory, const Sums<T>& sums, std::int64_t row_end,
        std::int64_t strips_at_once)
      : problem_(problem),
        row_end_(row_end),
        k_(k_end - k_begin),
        elements_(divide_up(k_, kSteps)),
        strips_at_once_(strips_at_once),
        a_(problem.a.data + k_begin * problem.a.column),
        b_(problem.b.data + k_begin * problem.b.row),
        direct_a_(reads_a_in_place<E>(problem)),
        direct_vectors_(direct_b && (kInPlace || kRowInPlace) ? problem.n / kWidth : 0),
        packed_b_(b_memory),
        packed_a_(a_memory),
        sums_(sums),
        is_first_(k_begin == 0),
        is_last_(k_end == problem.k) {
    if constexpr (kHasSums) {
      beta_ = is_first_ ? T(0) : T(1);
    } else {
      alpha_ = problem.alpha;
      beta_ = is_first_ ? problem.beta : T(1);
      bias_ = is_last_ ? problem.bias : nullptr;
    }
  }

  void pack_b(std::int64_t begin, std::int64_t end) {
    if constexpr (kRowInPlace) {
      const std::int64_t tiles = (std::min(end, direct_vectors_) - begin) / kRowVectors;
      direct_vectors_ = begin + std::max<std::int64_t>(tiles, 0) * kRowVectors;
    }
    first_packed_ = std::max(begin, direct_vectors_);
    for (std::int64_t vector = first_packed_; vector < end; ++vector) {
      pack_steps<kWidth>(problem_.format, packed_b(vector),
                         b_ + vector * kWidth * problem_.b.column, problem_.b.column,
                         problem_.b.row, lanes(vector), k_);
    }
  }

  /// Multiplies a strip of rows by the vectors [begin, end).
  void multiply(std::int64_t row, std::int64_t row_end, std::int64_t begin,
                std::int64_t end) requires(!kIsAmx) {
    const std::int64_t rows = row_end - row;
    if (rows >= kTileRows) return multiply_rows<kTileRows>(row, begin, end);
    if constexpr (kTileRows == 8) {
      if ((rows & 4) != 0) multiply_rows<4>(row, begin, end);
    }
    if ((rows & 2) != 0) multiply_rows<2>(row + (rows & 4), begin, end);
    if ((rows & 1) != 0) multiply_rows<1>(row + (rows & 6), begin, end);
  }

  /// Does the same with AMX.
  void multiply(std::int64_t row, std::int64_t row_end, std::int64_t begin,
                std::int64_t end) requires(kIsAmx) {
    const std::int64_t rows = row_end - row;
    pack_amx_strip(problem_.format, packed_a_, a_ + row * problem_.a.row, problem_.a.row,
                   problem_.a.column, rows, k_);
    for (std::int64_t vector = begin; vector < end; vector += 2) {
      const std::int64_t count = std::min<std::int64_t>(2, end - vector), column = vector * kWidth;
      alignas(64) T tile[kStripRows<E> * 2 * kWidth];
      T* sums = tile;
      std::int64_t stride = std::int64_t{2} * kWidth;
      if (sums_.data != nullptr) {
        sums = sums_.data + (row - sums_.row) * sums_.stride + column - sums_.column;
        stride = sums_.stride;
      }
      multiply_amx_tiles(packed_a_, packed_b(vector), elements_ * kWidth, elements_, sums,
                         stride * std::int64_t{sizeof(T)}, is_first_, rows > 16, count == 2);
      if (is_last_) {
        finish_tile(problem_, sums, stride, row, column, rows,
                    std::min(count * kWidth, problem_.n - column));
      }
    }
  }

 private:
  /// True if operands may be read without packing.
  static constexpr bool kInPlace = std::is_same_v<S, E>;

  int lanes(std::int64_t vector) const {
    return static_cast<int>(std::min<std::int64_t>(kWidth, problem_.n - vector * kWidth));
  }
  E* packed_b(std::int64_t vector) const {
    return packed_b_ + (vector - first_packed_) * elements_ * kWidth;
  }

  /// Returns a whole strip from `row` on, after it has packed some strips unless this was one.
  const E* packed_strip(std::int64_t row) requires(kInPlace) {
    const std::int64_t strip_size = k_ * kTileRows;
    if (row < first_joined_ || row >= end_joined_) {
      const std::int64_t strips = std::min(strips_at_once_, (row_end_ - row) / kTileRows);
      const S* from = a_ + row * problem_.a.row;
      for (std::int64_t p = 0; p < k_; ++p, from += problem_.a.column) {
        E* to = packed_a_ + p * kTileRows;
        for (std::int64_t strip = 0; strip < strips; ++strip, to += strip_size) {
          std::memcpy(to, from + strip * kTileRows, kTileRows * sizeof(E));
        }
      }
      first_joined_ = row;
      end_joined_ = row + strips * kTileRows;
    }
    return packed_a_ + (row - first_joined_) / kTileRows * strip_size;
  }

  template <int kRows>
  void multiply_rows(std::int64_t row, std::int64_t begin, std::int64_t end) {
    const S* const a = a_ + row * problem_.a.row;
    TileInput<E> in{packed_a_, 1, kRows, nullptr, 0, 0, elements_};
    if (direct_a_ || (kInPlace && kRows == 1)) {
      if constexpr (kInPlace) in.a = a;
      in.a_row = problem_.a.row;
      in.a_step = problem_.a.column;
    } else if (kInPlace && kRows == kTileRows && strips_at_once_ > 1) {
      if constexpr (kInPlace) in.a = packed_strip(row);
    } else {
      pack_steps<kRows>(problem_.format, packed_a_, a, problem_.a.row, problem_.a.column, kRows,
                        k_);
    }
    std::int64_t vector = begin;
    if constexpr (kRows == 1 && kRowInPlace) {
      for (; vector + kRowVectors <= std::min(end, direct_vectors_); vector += kRowVectors) {
        problem_.format.is_half ? multiply_in_place<NarrowInPlace<true>>(row, vector)
                                : multiply_in_place<NarrowInPlace<false>>(row, vector);
      }
    }
    while (vector < end) {
      const bool direct = kInPlace && vector < direct_vectors_;
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

  /// Multiplies one row by kRowVectors vectors of narrow elements.
  template <class Element>
  void multiply_in_place(std::int64_t row, std::int64_t vector) const {
    const auto elements = [](const S* from) { return reinterpret_cast<const Element*>(from); };
    const TileInput<Element> in{elements(a_ + row * problem_.a.row),
                                problem_.a.row,
                                problem_.a.column,
                                elements(b_ + vector * kWidth),
                                problem_.b.row,
                                kWidth,
                                k_};
    multiply_columns<1>(row, vector, kRowVectors, in);
  }

  template <int kRows, class Element>
  void multiply_columns(std::int64_t row, std::int64_t vector, std::int64_t count,
                        const TileInput<Element>& in) const {
    const std::int64_t column = vector * kWidth;
    // Field by field: a copy of all waits for the latest store to one of them.
    TileOutput<T> out{nullptr, 0, bias_, alpha_, beta_, lanes(vector + count - 1)};
    constexpr int kMostVectors = kRows == 1 ? kRowVectors : kTileVectors;
    if constexpr (kHasSums) {
      alignas(kVectorBytes) T tile[kRows * kMostVectors * kWidth];
      out.c = tile;
      out.c_row = kMostVectors * kWidth;
      if (sums_.data != nullptr) {
        out.c = sums_.data + (row - sums_.row) * sums_.stride + column - sums_.column;
        out.c_row = sums_.stride;
      }
      out.last_lanes = kWidth;
      if constexpr (std::is_same_v<Element, E>) {
        multiply_vectors<E, kRows>(count, in, out);
      } else {
        multiply_tile<Element, kRows, kRowVectors>(in, out);
      }
      if (!is_last_) return;
      finish_tile(problem_, out.c, out.c_row, row, column, kRows,
                  std::min(count * kWidth, problem_.n - column));
    } else if (problem_.c.column == 1) {
      out.c = problem_.c.data + row * problem_.c.row + column;
      out.c_row = problem_.c.row;
      if (out.bias != nullptr) out.bias += column;
      multiply_vectors<E, kRows>(count, in, out);
    } else {
      alignas(kVectorBytes) T tile[kRows * kMostVectors * kWidth];
      out.c = tile;
      out.c_row = kMostVectors * kWidth;
      if (out.bias != nullptr) {  // one number per row: the tile adds itself to it
        for (int i = 0; i < kRows; ++i) {
          std::fill_n(tile + i * out.c_row, count * kWidth, out.bias[row + i]);
        }
        out.bias = nullptr;
        out.beta = T(1);
      }
      multiply_vectors<E, kRows>(count, in, out);
      pack<T, kRows>(problem_.c.data + column * problem_.c.column + row, problem_.c.column, tile,
                     out.c_row, 1, kRows, std::min(count * kWidth, problem_.n - column));
    }
  }

  const Problem<S>& problem_;
  const std::int64_t row_end_, k_, elements_, strips_at_once_;
  std::int64_t first_joined_ = 0, end_joined_ = 0;  // the rows that packed_strip() has packed
  const S* const a_;
  const S* const b_;
  const bool direct_a_;
  std::int64_t direct_vectors_;  // number of vectors that are read without packing
  std::int64_t first_packed_ = 0;
  E* const packed_b_;
  E* const packed_a_;
  const Sums<T> sums_;
  const bool is_first_, is_last_;
  T alpha_ = 1, beta_ = 0;
  const T* bias_ = nullptr;
};

/// Computes a share; returns false if out of memory. If C has contiguous columns (a transposed
/// problem), beta is not supported.
template <class E, class S>
bool multiply_packed(const Problem<S>& problem, const Share& share) {
  using T = SumOf<S>;
  constexpr std::int64_t kSteps = PackedElement<E>::kSteps, kWidth = kLanes<T>;
  constexpr std::int64_t kElementBytes = sizeof(E), kSumBytes = sizeof(T);
  const std::int64_t strips = divide_up(share.row_end - share.row_begin, kStripRows<E>);
  // The first and the last vector of columns may be shared with other threads.
  const std::int64_t first_vector = share.begin / strips, first_strip = share.begin % strips;
  const std::int64_t last_vector = share.end / strips, last_strip = share.end % strips;
  const std::int64_t end_vector = last_vector + (last_strip > 0 ? 1 : 0);

  const std::int64_t elements = divide_up(problem.k, kSteps);
  const std::int64_t strip_bytes = elements * kTileRows * kElementBytes;
  const std::int64_t blocks =
      problem.c.column != 1 || elements == 0 ? 1 : divide_up(strip_bytes, kStripBytes);
  const std::int64_t block_elements = divide_up(elements, blocks);
  std::int64_t vectors_at_once = std::max<std::int64_t>(
      kTileVectors, kBlockBytes / (block_elements * kWidth * kElementBytes + 1));
  if (Block<S, E>::kRowInPlace)
    vectors_at_once = divide_up(vectors_at_once, kRowVectors) * kRowVectors;
  vectors_at_once = std::min(end_vector - first_vector, vectors_at_once);
  const std::int64_t b_size = vectors_at_once * block_elements * kWidth;
  const std::int64_t joined_strips = strips_packed_at_once<E>(problem, block_elements);
  const std::int64_t packed_size = b_size + block_elements * kStripRows<E> * joined_strips;
  // A share without columns has none: more threads than units.
  const bool has_sums = Block<S, E>::kHasSums && blocks > 1 && vectors_at_once > 0;
  const std::int64_t strip_sums = kStripRows<E> * vectors_at_once * kWidth;
  const std::int64_t strips_at_once =
      has_sums ? std::clamp<std::int64_t>(kSumsBytes / (strip_sums * kSumBytes), 1, strips)
               : strips;
  const std::int64_t sums_size = has_sums ? strips_at_once * strip_sums : 0;
  static_assert(alignof(T) == alignof(E));
  E* const memory =
      thread_scratch<E>(packed_size + divide_up(sums_size * kSumBytes, kElementBytes));
  if (memory == nullptr) return false;
  Sums<T> sums{nullptr, vectors_at_once * kWidth, share.row_begin, 0};
  if (sums_size > 0) sums.data = reinterpret_cast<T*>(memory + packed_size);

  const std::int64_t rows = share.row_end - share.row_begin;
  const bool direct_b = Block<S, E>::kRowInPlace ? rows == 1 && problem.b.column == 1
                                                 : reads_b_in_place<E>(problem, rows);
  for (std::int64_t begin = first_vector; begin < end_vector; begin += vectors_at_once) {
    const std::int64_t end = std::min(begin + vectors_at_once, end_vector);
    sums.column = begin * kWidth;
    for (std::int64_t group = 0; group < strips; group += strips_at_once) {
      const std::int64_t group_end = std::min(group + strips_at_once, strips);
      sums.row = share.row_begin + group * kStripRows<E>;
      for (std::int64_t number = 0; number < blocks; ++number) {
        const std::int64_t k_begin = elements * number / blocks * kSteps;
        const std::int64_t k_end = std::min(problem.k, elements * (number + 1) / blocks * kSteps);
        Block<S, E> block(problem, k_begin, k_end, direct_b, memory, memory + b_size, sums,
                          share.row_end, joined_strips);
        block.pack_b(begin, end);
        for (std::int64_t strip = group; strip < group_end; ++strip) {
          const std::int64_t from = std::max(begin, first_vector + (strip < first_strip ? 1 : 0));
          const std::int64_t to = std::min(end, last_vector + (strip < last_strip ? 1 : 0));
          const std::int64_t row = share.row_begin + strip * kStripRows<E>;
          const std::int64_t row_end = std::min(row + kStripRows<E>, share.row_end);
          if (from < to) block.multiply(row, row_end, from, to);
        }
      }
    }
  }
  return true;
}

}  // namespace tern::cpu
