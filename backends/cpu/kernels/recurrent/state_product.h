#pragma once

#include <algorithm>
#include <type_traits>

#include <tern/backends/cpu/kernels/gemm/packed.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {

/// A k x n matrix that many small matrices are multiplied by, packed once. Element (p, j) of the
/// matrix is data[p * row + j * column].
template <class T>
class StateProduct {
 public:
  StateProduct(const T* data, std::int64_t row, std::int64_t column, std::int64_t k, std::int64_t n)
      : k_(k), n_(n), vectors_(divide_up(n, kWidth)), packed_(vectors_ * k * kWidth) {
    constexpr std::int64_t kPackGrain = 1 << 16;
    parallel_for(
        0, vectors_, kPackGrain / (k * kWidth + 1), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t vector = begin; vector < end; ++vector) {
            pack_steps<kLanes<T>>(Format<T>(dtype_of<T>()), packed(vector),
                                  data + vector * kWidth * column, column, row, lanes(vector), k);
          }
        });
  }

  /// Computes c += a x matrix for `rows` rows on the calling thread. The rows of a and c have
  /// contiguous elements. The bits of a row do not depend on the other rows.
  void multiply_add(std::int64_t rows, const T* a, std::int64_t a_row, T* c,
                    std::int64_t c_row) const {
    std::int64_t row = 0;
    const auto multiply = [&](auto count) {
      multiply_rows<count>(a + row * a_row, a_row, c + row * c_row, c_row);
      row += count;
    };
    while (row + kTileRows <= rows) multiply(std::integral_constant<int, kTileRows>());
    if constexpr (kTileRows == 8) {
      if (row + 4 <= rows) multiply(std::integral_constant<int, 4>());
    }
    if (row + 2 <= rows) multiply(std::integral_constant<int, 2>());
    if (row < rows) multiply(std::integral_constant<int, 1>());
  }

 private:
  static constexpr std::int64_t kWidth = kLanes<T>;

  T* packed(std::int64_t vector) const { return packed_.data() + vector * k_ * kWidth; }
  int lanes(std::int64_t vector) const {
    return static_cast<int>(std::min(kWidth, n_ - vector * kWidth));
  }

  // Measured: a strip of rows takes the whole matrix, which is slightly faster than all strips
  // taking a few columns, as the rows of c are written from their beginning to their end.
  template <int kRows>
  void multiply_rows(const T* a, std::int64_t a_row, T* c, std::int64_t c_row) const {
    for (std::int64_t vector = 0; vector < vectors_; vector += kTileVectors) {
      const std::int64_t count = std::min<std::int64_t>(kTileVectors, vectors_ - vector);
      multiply_vectors<T, kRows>(
          count, {a, a_row, 1, packed(vector), kWidth, k_ * kWidth, k_},
          {c + vector * kWidth, c_row, nullptr, T(1), T(1), lanes(vector + count - 1)});
    }
  }

  std::int64_t k_, n_, vectors_;
  Scratch<T> packed_;
};

}  // namespace tern::cpu
