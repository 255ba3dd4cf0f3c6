#pragma once

#include <cstdint>

#include <tern/backends/cpu/kernels/support/vector.h>

namespace tern::cpu {

/// A column-major matrix, of which an iteration combines columns; none if `data` is null.
template <class T>
struct Columns {
  T* data = nullptr;
  std::int64_t rows = 0;
  T* scratch = nullptr;  // scratch_size<T>(rows, columns) elements
};

template <class T>
constexpr int kPanelRows = 4 * kLanes<T>;

/// Returns the number of elements that the iteration needs for `columns` columns of `rows`.
template <class T>
constexpr std::int64_t scratch_size(std::int64_t rows, std::int64_t columns) {
  return (rows + kPanelRows<T> - 1) / kPanelRows<T> * kPanelRows<T> * columns;
}

/// Replaces the diagonal of the bidiagonal matrix B = Q S P^T of order n by the singular values S
/// in descending order, and multiplies the first n columns of `u` and `v` with Q and P from the
/// right. `above` are the n - 1 elements above the diagonal. Returns false if the iteration does
/// not converge. Throws std::bad_alloc.
template <class T>
bool iterate_to_diagonal(std::int64_t n, T* diagonal, T* above, Columns<T> u, Columns<T> v);

}  // namespace tern::cpu
