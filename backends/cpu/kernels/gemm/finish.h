#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm/problem.h>

namespace tern::cpu {

/// Sums of products outside of C: the tiles of C whose elements have another type, which must not
/// be rounded before all of k is added.
template <class T>
struct Sums {
  T* data;  // of element (row, column), null: nowhere
  std::int64_t stride, row, column;
};

/// Sets c[i] = alpha * sums[i] + beta * c[i] + bias[i] for i < n, rounded once. Not inlined: it has
/// a caller per size of tile.
template <class S>
[[gnu::noinline]] void finish_span(const Problem<S>& problem, S* c, const SumOf<S>* sums,
                                   const S* bias, std::int64_t n) {
  using T = SumOf<S>;
  using V = Vector<T>;
  constexpr int kWidth = kLanes<T>;
  const Format<S> format = problem.format;
  for (std::int64_t i = 0; i < n; i += kWidth) {
    const int count = static_cast<int>(std::min<std::int64_t>(kWidth, n - i));
    const auto read = [&](const S* from) {
      return count == kWidth ? format.load(from) : format.load_first(from, count);
    };
    V x = count == kWidth ? load(sums + i) : load_first(sums + i, count);
    x *= problem.alpha;
    if (problem.beta != T(0)) x = fma(broadcast<T>(problem.beta), read(c + i), x);
    if (bias != nullptr) x += read(bias + i);
    count == kWidth ? format.store(c + i, x) : format.store_first(c + i, x, count);
  }
}

/// Stores rows x columns sums as the part of C at (row, column). If C has contiguous columns, its
/// bias must be null.
template <class S>
[[gnu::noinline]] void finish_tile(const Problem<S>& problem, const SumOf<S>* sums,
                                   std::int64_t stride, std::int64_t row, std::int64_t column,
                                   std::int64_t rows, std::int64_t columns) {
  S* c = problem.c.data + row * problem.c.row + column * problem.c.column;
  if constexpr (Format<S>::kRoundsSums) {
    constexpr std::int64_t kWidth = kLanes<SumOf<S>>;
    if (problem.c.column == 1 && columns % kWidth == 0 && problem.alpha == 1 && problem.beta == 0 &&
        problem.bias == nullptr) {
      for (; rows > 0; --rows, c += problem.c.row, sums += stride) {
        for (std::int64_t j = 0; j < columns; j += kWidth) {
          Format<S>::store_sum(c + j, load(sums + j));
        }
      }
      return;
    }
  }
  if (problem.c.column == 1) {
    const S* const bias = problem.bias == nullptr ? nullptr : problem.bias + column;
    for (; rows > 0; --rows, c += problem.c.row, sums += stride) {
      finish_span(problem, c, sums, bias, columns);
    }
  } else {
    constexpr int kMaxRows = 32;
    SumOf<S> line[kMaxRows];
    for (std::int64_t j = 0; j < columns; ++j, c += problem.c.column) {
      for (std::int64_t i = 0; i < rows; ++i) line[i] = sums[i * stride + j];
      finish_span<S>(problem, c, line, nullptr, rows);
    }
  }
}

}  // namespace tern::cpu
