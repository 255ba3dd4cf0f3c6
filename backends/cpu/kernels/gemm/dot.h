#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm/finish.h>
#include <tern/backends/cpu/kernels/gemm/pack.h>
#include <tern/backends/cpu/kernels/gemm/problem.h>
#include <tern/backends/cpu/kernels/support/span.h>

// Computes a product by inner products, for few rows of A and a B that is contiguous along k.
// Vectors run along k, and B is read once, without packing.

namespace tern::cpu {

inline constexpr int kDotRows = kVectorBytes == 64 ? 4 : 2;
inline constexpr int kDotColumns = 4;
/// The number of products that a lane of float32 sums before the sum is added to the total. Longer
/// sums lose digits.
inline constexpr std::int64_t kDotRun = 256;
/// The sums that an inner product keeps at once, because each addition waits for the previous one
/// to its sum.
inline constexpr int kInnerSums = 4;

/// Sets lane i of the result to the sum over x[i], i < kCount. kCount is a power of two and at most
/// the vector width.
template <class T, int kCount, int kStep = 1>
[[gnu::always_inline]] inline Vector<T> sum_each(Vector<T>* x) {
  constexpr auto kLaneNumbers = std::make_integer_sequence<int, kLanes<T>>();
  if constexpr (kStep < kCount) {
#pragma GCC unroll 16
    for (int i = 0; i < kCount; i += 2 * kStep) {
      x[i] = exchange_lanes<T, kStep, false>(x[i], x[i + kStep], kLaneNumbers) +
             exchange_lanes<T, kStep, true>(x[i], x[i + kStep], kLaneNumbers);
    }
    return sum_each<T, kCount, 2 * kStep>(x);
  } else if constexpr (kStep < kLanes<T>) {
    x[0] += exchange_lanes<T, kStep, true>(x[0], x[0], kLaneNumbers);
    return sum_each<T, kCount, 2 * kStep>(x);
  } else {
    return x[0];
  }
}

/// Stores kLines runs of kLine sums each as the part of C whose runs start at `c`, `stride` apart.
template <int kLine, class T>
void finish_sums(const Problem<T>& problem, T* sums, T* c, std::int64_t stride, const T* bias,
                 int lines, int length) {
  const auto finish_line = [&](T* x, auto n) {
    for (int i = 0; i < n; ++i) x[i] *= problem.alpha;
    if (problem.beta != T(0)) {
      for (int i = 0; i < n; ++i) x[i] += problem.beta * c[i];
    }
    if (bias != nullptr) {
      for (int i = 0; i < n; ++i) x[i] += bias[i];
    }
    for (int i = 0; i < n; ++i) c[i] = x[i];
  };
  for (int line = 0; line < lines; ++line, sums += kLine, c += stride) {
    if (length == kLine) {
      finish_line(sums, std::integral_constant<int, kLine>());
    } else {
      finish_line(sums, length);
    }
  }
}
template <int kLine>
void finish_sums(const Problem<Narrow>& problem, const float* sums, Narrow* c, std::int64_t stride,
                 const Narrow* bias, int lines, int length) {
  for (int line = 0; line < lines; ++line, sums += kLine, c += stride) {
    finish_span(problem, c, sums, bias, length);
  }
}

/// How many bytes ahead of its use a matrix that is read once is prefetched, because the
/// processor's own prefetchers stop at the end of a page. Measured.
inline constexpr std::int64_t kAheadBytes = 4096;

/// Returns a vector whose lanes add up to the product of a row and a column. kStreams: what follows
/// the column in memory is read next.
template <bool kStreams = false, class S>
[[gnu::always_inline]] inline Vector<SumOf<S>> inner_lanes(const Format<S>& format, const S* a,
                                                           const S* b, std::int64_t n) {
  using T = SumOf<S>;
  constexpr int kWidth = kLanes<T>;
  constexpr std::int64_t kStep = std::int64_t{kInnerSums} * kWidth;
  Vector<T> sum[kInnerSums] = {};
  const auto add = [&](int k, std::int64_t at) {
    if constexpr (kStreams) {
      __builtin_prefetch(b + at + kAheadBytes / std::int64_t{sizeof(S)});
    }
    sum[k] = fma(format.load(a + at), format.load(b + at), sum[k]);
  };
  std::int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
#pragma GCC unroll 4
    for (int k = 0; k < kInnerSums; ++k) add(k, i + std::int64_t{k} * kWidth);
  }
  for (; i + kWidth <= n; i += kWidth) add(0, i);
  if (const int rest = static_cast<int>(n - i); rest > 0) {
    sum[1] = fma(format.load_first(a + i, rest), format.load_first(b + i, rest), sum[1]);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Stores the sums of a tile as the part of C at (row, column). The sums have the order of C's
/// elements.
template <class S, int kRows, bool kTurned>
[[gnu::always_inline]] inline void store_dots(const Problem<S>& problem, Vector<SumOf<S>>* sum,
                                              std::int64_t row, std::int64_t column, int rows,
                                              int columns) {
  using T = SumOf<S>;
  constexpr int kLine = kTurned ? kRows : kDotColumns;
  constexpr int kSums = kRows * kDotColumns;
  constexpr int kGroup = std::min(kLanes<T>, kSums);
  alignas(kVectorBytes) T sums[std::max(kSums, kLanes<T>)];
#pragma GCC unroll 8
  for (int first = 0; first < kSums; first += kGroup) {
    store(sums + first, sum_each<T, kGroup>(sum + first));
  }
  S* const c = problem.c.data + row * problem.c.row + column * problem.c.column;
  const S* bias = problem.bias;
  if (bias != nullptr) bias += kTurned ? row : column;
  finish_sums<kLine>(problem, sums, c, kTurned ? problem.c.column : problem.c.row, bias,
                     kTurned ? columns : rows, kTurned ? rows : columns);
}

/// Multiplies kRows rows from `row` on by kDotColumns columns from `column` on. Rows and columns
/// beyond the end repeat the last one and are not stored.
template <class S, int kRows, bool kTurned>
void multiply_dot_tile(const Problem<S>& problem, std::int64_t row, std::int64_t column) {
  using T = SumOf<S>;
  using V = Vector<T>;
  constexpr int kWidth = kLanes<T>;
  const Format<S> format = problem.format;
  const int rows = static_cast<int>(std::min<std::int64_t>(kRows, problem.m - row));
  const int columns = static_cast<int>(std::min<std::int64_t>(kDotColumns, problem.n - column));
  const S* a[kRows];
  const S* b[kDotColumns];
  for (int i = 0; i < kRows; ++i) {
    a[i] = problem.a.data + (row + std::min(i, rows - 1)) * problem.a.row;
  }
  for (int j = 0; j < kDotColumns; ++j) {
    b[j] = problem.b.data + (column + std::min(j, columns - 1)) * problem.b.column;
  }

  constexpr int kLine = kTurned ? kRows : kDotColumns;
  constexpr int kSums = kRows * kDotColumns;
  V sum[kSums] = {};
  const auto add = [&](std::int64_t p, auto&& load) {
    V x[kRows];
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) x[i] = load(a[i] + p);
#pragma GCC unroll 4
    for (int j = 0; j < kDotColumns; ++j) {
      const V y = load(b[j] + p);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        V& element = sum[kTurned ? j * kLine + i : i * kLine + j];
        element = fma(x[i], y, element);
      }
    }
  };
  const std::int64_t end = problem.k / kWidth * kWidth;
  const bool is_long = end > kDotRun * kWidth;
  V total[kSums];
  if (is_long) {
    for (V& v : total) v = V{};
  }
  std::int64_t p = 0;
  while (true) {
    for (const std::int64_t stop = std::min(end, p + kDotRun * kWidth); p < stop; p += kWidth) {
      add(p, [&](const S* from) { return format.load(from); });
    }
    if (p == end) break;
#pragma GCC unroll 16
    for (int i = 0; i < kSums; ++i) {
      total[i] += sum[i];
      sum[i] = V{};
    }
  }
  if (const int rest = static_cast<int>(problem.k - p); rest > 0) {
    add(p, [&](const S* from) { return format.load_first(from, rest); });
  }
  if (is_long) {
#pragma GCC unroll 16
    for (int i = 0; i < kSums; ++i) sum[i] += total[i];
  }

  store_dots<S, kRows, kTurned>(problem, sum, row, column, rows, columns);
}

/// Multiplies the only row by kDotColumns columns from `column` on, one after the other: memory
/// that is read in its order arrives fastest. Columns beyond the end repeat the last one.
template <class T, bool kTurned>
[[gnu::noinline]] void multiply_dot_row(const Problem<T>& problem, std::int64_t column) {
  const int columns = static_cast<int>(std::min<std::int64_t>(kDotColumns, problem.n - column));
  const Format<T> format = problem.format;
  const T* const a = problem.a.data;
  const T* b = problem.b.data + column * problem.b.column;
  Vector<T> sum[kDotColumns];
#pragma GCC unroll 4
  for (int j = 0; j < kDotColumns; ++j) {
    sum[j] = inner_lanes<true>(format, a, b, problem.k);
    if (j + 1 < columns) b += problem.b.column;
  }
  store_dots<T, 1, kTurned>(problem, sum, 0, column, 1, columns);
}

/// Computes the columns [begin, end). A and B are contiguous along k. Narrow elements have one row.
template <class S, bool kTurned>
void multiply_dot_columns(const Problem<S>& problem, std::int64_t begin, std::int64_t end) {
  if constexpr (!std::is_same_v<S, Narrow>) {
    if (problem.m == 1 && problem.k <= kDotRun * kInnerSums * kLanes<SumOf<S>>) {
      for (std::int64_t column = begin; column < end; column += kDotColumns) {
        multiply_dot_row<S, kTurned>(problem, column);
      }
      return;
    }
  }
  for (std::int64_t column = begin; column < end; column += kDotColumns) {
    std::int64_t row = 0;
    if constexpr (!std::is_same_v<S, Narrow>) {
      for (; row + 2 < problem.m; row += kDotRows) {
        multiply_dot_tile<S, kDotRows, kTurned>(problem, row, column);
      }
      if (row + 2 == problem.m) multiply_dot_tile<S, 2, kTurned>(problem, row, column);
    }
    if (row + 1 == problem.m) multiply_dot_tile<S, 1, kTurned>(problem, row, column);
  }
}

/// Does the same for a B of any strides, and gathers its columns, a few at a time. Returns false if
/// out of memory.
template <class S, bool kTurned>
bool multiply_dot_gathered(const Problem<S>& problem, std::int64_t begin, std::int64_t end) {
  S* const gathered = thread_scratch<S>(problem.k * kDotColumns);
  if (gathered == nullptr) return false;
  for (std::int64_t column = begin; column < end; column += kDotColumns) {
    Problem<S> few = problem;
    few.n = std::min<std::int64_t>(kDotColumns, end - column);
    for (std::int64_t j = 0; j < few.n; ++j) {
      gather_span(gathered + j * problem.k, problem.b.data + (column + j) * problem.b.column,
                  problem.b.row, problem.k);
    }
    few.b = {gathered, 0, 1, problem.k};
    few.c.data += column * problem.c.column;
    if (few.bias != nullptr && !kTurned) few.bias += column;
    multiply_dot_columns<S, kTurned>(few, 0, few.n);
  }
  return true;
}

/// Computes the columns [begin, end), a multiple of kDotColumns except at the end. Returns false if
/// out of memory. A or B must be contiguous along k.
template <class S>
bool multiply_dot(Problem<S> problem, std::int64_t begin, std::int64_t end) {
  constexpr int kWidth = kLanes<SumOf<S>>;
  if (problem.b.row != 1) {
    return problem.transposed ? multiply_dot_gathered<S, true>(problem, begin, end)
                              : multiply_dot_gathered<S, false>(problem, begin, end);
  }
  if (problem.a.column != 1) {
    const std::int64_t padded_k = divide_up(problem.k, kWidth) * kWidth;
    S* const packed = thread_scratch<S>(padded_k * problem.m);
    if (packed == nullptr) return false;
    if constexpr (std::is_same_v<S, Narrow>) {
      gather_span(packed, problem.a.data, problem.a.column, problem.k);
    } else {
      for (std::int64_t p = 0; p < problem.k; p += kWidth) {
        const std::int64_t steps = std::min<std::int64_t>(kWidth, problem.k - p);
        pack<S, kWidth>(packed + p, padded_k, problem.a.data + p * problem.a.column,
                        problem.a.column, problem.a.row, static_cast<int>(steps), problem.m);
      }
    }
    problem.a = {packed, 0, padded_k, 1};
  }
  if (problem.transposed) {
    multiply_dot_columns<S, true>(problem, begin, end);
  } else {
    multiply_dot_columns<S, false>(problem, begin, end);
  }
  return true;
}

}  // namespace tern::cpu
