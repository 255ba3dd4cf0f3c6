#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tern/backends/cpu/kernels/gemm/pack.h>
#include <tern/backends/cpu/kernels/gemm/tile.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/core/kernels/families/attention.h>

// Blocks of the matrix of scores. A block has a row per key and a lane per query, so that maxima
// and sums over the keys need no work across the lanes of a vector, and all products read whole
// vectors. Lanes behind the last query hold numbers that nobody reads.

namespace tern::cpu {

using kernels::AttentionArgs;
using kernels::AttentionStrides;

/// The queries and keys of a block. The queries fill whole tiles of all instruction sets, and a
/// block of floats, 12 KB, stays in the first-level cache.
inline constexpr std::int64_t kQueryBlock = 48, kKeyBlock = 64;
static_assert(kQueryBlock % (std::int64_t{kTileVectors} * kLanes<float>) == 0);

/// Calls visit(width) for the lanes of a block of queries: a constant for full blocks.
template <class T, class Visit>
void visit_width(std::int64_t queries, const Visit& visit) {
  if (queries == kQueryBlock) return visit(std::integral_constant<std::int64_t, kQueryBlock>());
  visit(divide_up(queries, kLanes<T>) * kLanes<T>);
}

/// One block: batch and head, its first query and key, and how many there are.
struct ScoreBlock {
  std::int64_t batch, head, first_query, queries, first_key, keys;

  /// Returns true if some query of the block may not attend to some key.
  bool crosses_diagonal() const { return first_key + keys - 1 > first_query; }
};

/// Returns the first row of a batch and a head.
template <class T, class Pointer>
T* head_of(Pointer* data, const AttentionStrides& strides, std::int64_t batch, std::int64_t head) {
  return static_cast<T*>(data) + batch * strides.batch + head * strides.head;
}

/// A factor on the left: element (i, p) is data[i * row + p * step].
template <class T>
struct LeftFactor {
  const T* data;
  std::int64_t row, step;
};

template <class T, int kVectors>
void multiply_columns(const LeftFactor<T>& a, const T* b, std::int64_t b_row, T* c,
                      std::int64_t c_row, std::int64_t rows, std::int64_t count, bool adds) {
  const T beta = adds ? T(1) : T(0);
  std::int64_t i = 0;
  const auto multiply_rows = [&](auto tile_rows) {
    constexpr int kRows = decltype(tile_rows)::value;
    for (; i + kRows <= rows; i += kRows) {
      multiply_tile<T, kRows, kVectors>(
          {a.data + i * a.row, a.row, a.step, b, b_row, kLanes<T>, count},
          {c + i * c_row, c_row, nullptr, T(1), beta, kLanes<T>});
    }
  };
  multiply_rows(std::integral_constant<int, kTileRows>());
  if constexpr (kTileRows > 4) multiply_rows(std::integral_constant<int, 4>());
  multiply_rows(std::integral_constant<int, 2>());
  multiply_rows(std::integral_constant<int, 1>());
}

/// Computes c = a b, or c += a b. a is rows x count, b is count x columns, and the columns are
/// whole vectors.
template <class T>
void multiply_block(const LeftFactor<T>& a, const T* b, std::int64_t b_row, T* c,
                    std::int64_t c_row, std::int64_t rows, std::int64_t columns, std::int64_t count,
                    bool adds) {
  const std::int64_t vectors = columns / kLanes<T>, groups = divide_up(vectors, kTileVectors);
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t first = vectors * group / groups;
    const std::int64_t width = vectors * (group + 1) / groups - first;
    const std::int64_t column = first * kLanes<T>;
    static_assert(kTileVectors == 3);
    const auto multiply = width == 3   ? multiply_columns<T, 3>
                          : width == 2 ? multiply_columns<T, 2>
                                       : multiply_columns<T, 1>;
    multiply(a, b + column, b_row, c + column, c_row, rows, count, adds);
  }
}

/// Stores `queries` rows of `size` elements as lanes: to[e * width + i] = from[i * row + e].
template <class T>
void rows_to_lanes(T* to, std::int64_t width, const T* from, std::int64_t row, std::int64_t queries,
                   std::int64_t size) {
  for (std::int64_t i = 0; i < queries; i += kLanes<T>) {
    const auto lines = static_cast<int>(std::min<std::int64_t>(kLanes<T>, queries - i));
    pack<T, kLanes<T>>(to + i, width, from + i * row, row, 1, lines, size);
  }
}

/// Does the reverse.
template <class T>
void lanes_to_rows(T* to, std::int64_t row, const T* from, std::int64_t width, std::int64_t queries,
                   std::int64_t size) {
  std::int64_t e = 0;
  for (; e + kLanes<T> <= size; e += kLanes<T>) {
    pack<T, kLanes<T>>(to + e, row, from + e * width, width, 1, kLanes<T>, queries);
  }
  for (; e < size; ++e) {
    for (std::int64_t i = 0; i < queries; ++i) to[i * row + e] = from[e * width + i];
  }
}

template <class T>
void scale_span(T* __restrict data, std::int64_t count, T factor) {
  for (std::int64_t i = 0; i < count; ++i) data[i] *= factor;
}

/// Applies change(score, mask element) to each score of a block.
template <class T, class M, class Change>
void change_scores(T* __restrict scores, std::int64_t width, const ScoreBlock& block,
                   const M* __restrict mask, std::int64_t query_stride, std::int64_t key_stride,
                   const Change& change) {
  for (std::int64_t j = 0; j < block.keys; ++j, scores += width, mask += key_stride) {
    if (query_stride == 0) {
      for (std::int64_t i = 0; i < block.queries; ++i) scores[i] = change(scores[i], mask[0]);
    } else {
      for (std::int64_t i = 0; i < block.queries; ++i) {
        scores[i] = change(scores[i], mask[i * query_stride]);
      }
    }
  }
}

/// Applies the mask to a block of scores.
template <class T>
void mask_scores(const AttentionArgs& args, const ScoreBlock& block, T* scores,
                 std::int64_t width) {
  static constexpr T kForbidden = -std::numeric_limits<T>::infinity();
  if (args.is_causal != 0 && block.crosses_diagonal()) {
    for (std::int64_t j = 0; j < block.keys; ++j) {
      const std::int64_t first_allowed = block.first_key + j - block.first_query;
      std::fill_n(scores + j * width, std::clamp<std::int64_t>(first_allowed, 0, width),
                  kForbidden);
    }
  }
  if (args.mask == nullptr) return;
  const std::int64_t* const strides = args.mask_strides;
  const std::int64_t start = block.batch * strides[0] + block.head * strides[1] +
                             block.first_query * strides[2] + block.first_key * strides[3];
  if (args.mask_dtype == kBool) {
    change_scores(scores, width, block, static_cast<const std::uint8_t*>(args.mask) + start,
                  strides[2], strides[3],
                  [](T score, std::uint8_t allowed) { return allowed != 0 ? score : kForbidden; });
  } else {
    change_scores(scores, width, block, static_cast<const T*>(args.mask) + start, strides[2],
                  strides[3], [](T score, T term) { return score + term; });
  }
}

/// Stores what dropout multiplies the weights of a block with.
template <class T>
void load_dropout(const AttentionArgs& args, const ScoreBlock& block, T* factors,
                  std::int64_t width) {
  const T scale = static_cast<T>(args.keep_scale);
  const std::int64_t head = block.batch * args.heads + block.head;
  const std::int64_t start =
      (head * args.queries + block.first_query) * args.keys + block.first_key;
  change_scores(factors, width, block, reinterpret_cast<const std::uint8_t*>(args.keep) + start,
                args.keys, 1, [=](T, std::uint8_t keep) { return keep != 0 ? scale : T(0); });
}

template <class T>
void multiply_spans(T* __restrict out, const T* __restrict factors, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] *= factors[i];
}

/// Returns the number of the query block that task `task` of a head computes. With a causal mask,
/// late blocks have more keys: blocks from both ends take turns, so that threads get equal shares.
inline std::int64_t balanced_block(std::int64_t task, std::int64_t blocks) {
  return task % 2 == 0 ? task / 2 : blocks - 1 - task / 2;
}

}  // namespace tern::cpu
