#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace tern::sim {

/// A row-major matrix of doubles.
struct Matrix {
  std::int64_t rows, columns;
  std::vector<double> elements;

  template <class T>
  Matrix(const T* from, std::int64_t row_count, std::int64_t column_count)
      : rows(row_count), columns(column_count), elements(from, from + row_count * column_count) {}
  Matrix(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count),
        columns(column_count),
        elements(static_cast<std::size_t>(row_count * column_count)) {}

  double& operator()(std::int64_t i, std::int64_t j) {
    return elements[static_cast<std::size_t>(i * columns + j)];
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    return elements[static_cast<std::size_t>(i * columns + j)];
  }
  void swap_rows(std::int64_t i, std::int64_t k) {
    for (std::int64_t j = 0; j < columns; ++j) std::swap((*this)(i, j), (*this)(k, j));
  }
  void swap_columns(std::int64_t j, std::int64_t k) {
    for (std::int64_t i = 0; i < rows; ++i) std::swap((*this)(i, j), (*this)(i, k));
  }
  /// Turns columns j and k: column j becomes c * j - s * k, column k becomes s * j + c * k.
  void rotate_columns(std::int64_t j, std::int64_t k, double c, double s) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const double x = (*this)(i, j), y = (*this)(i, k);
      (*this)(i, j) = c * x - s * y;
      (*this)(i, k) = s * x + c * y;
    }
  }
  Matrix transposed() const {
    Matrix result(columns, rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) result(j, i) = (*this)(i, j);
    }
    return result;
  }
  template <class T>
  void store(T* to) const {
    for (const double element : elements) *to++ = static_cast<T>(element);
  }
};

inline Matrix identity(std::int64_t n) {
  Matrix matrix(n, n);
  for (std::int64_t i = 0; i < n; ++i) matrix(i, i) = 1;
  return matrix;
}

/// Factors a = l u in place after row swaps. Returns the 1-based index of the first pivot that is
/// 0, or 0.
std::int64_t factor_lu(Matrix& a, std::int32_t* pivots);

/// Factors a = q r by Householder reflections, with the signs of LAPACK; q is m by m.
void factor_qr(const Matrix& a, Matrix& q, Matrix& r);

/// Returns the ascending eigenvalues of the symmetric matrix in the lower triangle of `a`, and its
/// eigenvectors as columns (Jacobi's method).
std::vector<double> factor_eigh(Matrix a, Matrix& vectors);

/// Returns the descending singular values of `a`; u and v are square (one-sided Jacobi method).
std::vector<double> factor_svd(const Matrix& a, Matrix& u, Matrix& v);

}  // namespace tern::sim
