#pragma once

#include <cstdint>
#include <type_traits>

// The loops of batch_norm.cpp: each takes kRows rows of n elements, `step` elements apart, so that
// the numbers of the columns are read once for all of them. Sums add one row after the other.
// Results do not overlap operands.

namespace tern::cpu {

constexpr int kRowsAtATime = 4;

/// Calls `fn(rows, row)` for groups of rows from `begin` to `end`; rows() of them are a constant.
/// The groups have one row with `one_by_one`.
template <class Fn>
void for_row_groups(std::int64_t begin, std::int64_t end, bool one_by_one, const Fn& fn) {
  for (; !one_by_one && end - begin >= kRowsAtATime; begin += kRowsAtATime) {
    fn(std::integral_constant<int, kRowsAtATime>(), begin);
  }
  for (; begin < end; ++begin) fn(std::integral_constant<int, 1>(), begin);
}

template <int kRows, class T>
void add_rows(T* __restrict first, const T* __restrict in, std::int64_t step, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    T sum = first[i];
    for (int row = 0; row < kRows; ++row) sum += in[row * step + i];
    first[i] = sum;
  }
}

template <int kRows, class T>
void add_moments(T* __restrict first, T* __restrict second, const T* __restrict in,
                 std::int64_t step, std::int64_t n, const T* __restrict about) {
  for (std::int64_t i = 0; i < n; ++i) {
    T sum = first[i], squares = second[i];
    for (int row = 0; row < kRows; ++row) {
      const T difference = in[row * step + i] - about[i];
      sum += difference;
      squares += difference * difference;
    }
    first[i] = sum;
    second[i] = squares;
  }
}

template <int kRows, class T>
void add_products(T* __restrict first, T* __restrict second, const T* __restrict in,
                  const T* __restrict grad, std::int64_t step, std::int64_t n,
                  const T* __restrict high, const T* __restrict low) {
  for (std::int64_t i = 0; i < n; ++i) {
    T sum = first[i], products = second[i];
    for (int row = 0; row < kRows; ++row) {
      const T g = grad[row * step + i];
      sum += g;
      products += g * ((in[row * step + i] - high[i]) - low[i]);
    }
    first[i] = sum;
    second[i] = products;
  }
}

// Numbers: one per column (const T*), or one for all (Same<T>).

template <int kRows, class T, class Numbers>
void normalize_rows(T* __restrict out, const T* __restrict in, std::int64_t step, std::int64_t n,
                    Numbers high, Numbers low, Numbers scale, Numbers offset) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (int row = 0; row < kRows; ++row) {
      const std::int64_t at = row * step + i;
      out[at] = ((in[at] - high[i]) - low[i]) * scale[i] + offset[i];
    }
  }
}

/// Writes the input gradient for fixed statistics. Does not read the input, which may be infinite
/// or NaN.
template <int kRows, class T, class Numbers>
void fixed_gradient_rows(T* __restrict out, const T* __restrict grad, std::int64_t step,
                         std::int64_t n, Numbers scale) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (int row = 0; row < kRows; ++row) out[row * step + i] = grad[row * step + i] * scale[i];
  }
}

template <int kRows, class T, class Numbers>
void input_gradient_rows(T* __restrict out, const T* __restrict in, const T* __restrict grad,
                         std::int64_t step, std::int64_t n, Numbers high, Numbers low,
                         Numbers scale, Numbers mean_grad, Numbers slope) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (int row = 0; row < kRows; ++row) {
      const std::int64_t at = row * step + i;
      out[at] = (grad[at] - mean_grad[i]) * scale[i] - ((in[at] - high[i]) - low[i]) * slope[i];
    }
  }
}

}  // namespace tern::cpu
