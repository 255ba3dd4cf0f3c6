#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <tern/backends/sim/kernels/linalg_matrix.h>

#include <backends/cuda/emulator/cusolver.h>

// The factorizations of the replacement for cuSOLVER, for one matrix that is stored by column. They
// compute in double.

namespace tern::emulator {

using sim::Matrix;

inline void require_rule(bool condition, const char* rule) {
  if (!condition) throw std::logic_error(std::string("cuSOLVER: ") + rule);
}

/// A matrix stored by column.
template <class T>
struct Columns {
  T* data;
  std::int64_t rows, columns, ld;

  T& operator()(std::int64_t i, std::int64_t j) const { return data[j * ld + i]; }
  void check() const {
    require_rule(data != nullptr, "a matrix is null");
    require_rule(rows > 0 && columns > 0, "a size is not positive");
    require_rule(ld >= rows, "the columns of a matrix overlap");
  }
  Matrix load() const {
    Matrix result(rows, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) result(i, j) = static_cast<double>((*this)(i, j));
    }
    return result;
  }
  /// Stores the leading part of `from`.
  void store(const Matrix& from) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        (*this)(i, j) = static_cast<std::remove_const_t<T>>(from(i, j));
      }
    }
  }
  /// What is undefined becomes NaN.
  void spoil() const {
    for (std::int64_t j = 0; j < columns; ++j) {
      std::fill_n(&(*this)(0, j), rows, std::numeric_limits<T>::quiet_NaN());
    }
  }
};

/// Returns the 1-based index of the first pivot that is 0, or 0. The pivot of a column with NaN is
/// out of range.
template <class T, class Pivot>
int factor_by_rows(const Columns<T>& a, Pivot* pivots) {
  Matrix lu = a.load();
  int info = 0;
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    std::int64_t pivot = k;
    bool has_nan = false;
    for (std::int64_t i = k; i < a.rows; ++i) {
      has_nan = has_nan || std::isnan(lu(i, k));
      if (std::abs(lu(i, k)) > std::abs(lu(pivot, k))) pivot = i;
    }
    pivots[k] = static_cast<Pivot>(has_nan ? 0 : pivot + 1);
    if (lu(pivot, k) == 0) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    if (!has_nan) lu.swap_rows(pivot, k);
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      lu(i, k) /= lu(k, k);
      for (std::int64_t j = k + 1; j < a.columns; ++j) lu(i, j) -= lu(i, k) * lu(k, j);
    }
  }
  a.store(lu);
  return info;
}

/// Replaces b by x with a x = b, or a^T x = b, for the factors of `a`.
template <class T, class Pivot>
void solve_by_factors(const Columns<const T>& factors, const Pivot* pivots, bool transposed,
                      const Columns<T>& b) {
  const Matrix lu = factors.load();
  const std::int64_t n = factors.rows;
  Matrix x = b.load();
  const auto swap = [&](std::int64_t i) {
    require_rule(pivots[i] > i && pivots[i] <= n, "a pivot is out of range");
    x.swap_rows(i, static_cast<std::int64_t>(pivots[i]) - 1);
  };
  const auto eliminate = [&](std::int64_t i, std::int64_t k, double factor) {
    for (std::int64_t j = 0; j < x.columns; ++j) x(i, j) -= factor * x(k, j);
  };
  const auto divide = [&](std::int64_t i) {
    for (std::int64_t j = 0; j < x.columns; ++j) x(i, j) /= lu(i, i);
  };
  if (!transposed) {
    for (std::int64_t i = 0; i < n; ++i) swap(i);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k) eliminate(i, k, lu(i, k));
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < n; ++k) eliminate(i, k, lu(i, k));
      divide(i);
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k) eliminate(i, k, lu(k, i));
      divide(i);
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < n; ++k) eliminate(i, k, lu(k, i));
    }
    for (std::int64_t i = n - 1; i >= 0; --i) swap(i);
  }
  b.store(x);
}

/// Reads and writes the upper triangle, a = u^T u. Returns the order of the first leading minor
/// that is not positive; NaN passes.
template <class T>
int factor_upper_cholesky(const Columns<T>& a) {
  for (std::int64_t j = 0; j < a.rows; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) {
      double sum = static_cast<double>(a(i, j));
      for (std::int64_t k = 0; k < i; ++k) sum -= static_cast<double>(a(k, i)) * a(k, j);
      if (i == j && sum <= 0) return static_cast<int>(j + 1);
      a(i, j) = static_cast<T>(i == j ? std::sqrt(sum) : sum / static_cast<double>(a(i, i)));
    }
  }
  return 0;
}

/// Leaves R in the upper triangle and the vectors of the reflections below it, as LAPACK does.
template <class T>
void factor_by_reflections(const Columns<T>& a, T* tau) {
  Matrix r = a.load();
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    double below = 0;
    for (std::int64_t i = k + 1; i < a.rows; ++i) below += r(i, k) * r(i, k);
    tau[k] = 0;
    if (below == 0) continue;
    const double norm = std::sqrt(below + r(k, k) * r(k, k));
    const double beta = r(k, k) >= 0 ? -norm : norm;
    const double factor = (beta - r(k, k)) / beta;
    for (std::int64_t i = k + 1; i < a.rows; ++i) r(i, k) /= r(k, k) - beta;
    for (std::int64_t j = k + 1; j < a.columns; ++j) {
      double sum = r(k, j);
      for (std::int64_t i = k + 1; i < a.rows; ++i) sum += r(i, k) * r(i, j);
      r(k, j) -= factor * sum;
      for (std::int64_t i = k + 1; i < a.rows; ++i) r(i, j) -= factor * sum * r(i, k);
    }
    r(k, k) = beta;
    tau[k] = static_cast<T>(factor);
  }
  a.store(r);
}

/// Replaces the vectors of `count` reflections by the columns of their product.
template <class T>
void multiply_reflections(const Columns<T>& a, std::int64_t count, const T* tau) {
  const Matrix vectors = a.load();
  Matrix q(a.rows, a.columns);
  for (std::int64_t i = 0; i < a.columns; ++i) q(i, i) = 1;
  for (std::int64_t k = count - 1; k >= 0; --k) {
    for (std::int64_t j = 0; j < a.columns; ++j) {
      double sum = q(k, j);
      for (std::int64_t i = k + 1; i < a.rows; ++i) sum += vectors(i, k) * q(i, j);
      sum *= static_cast<double>(tau[k]);
      q(k, j) -= sum;
      for (std::int64_t i = k + 1; i < a.rows; ++i) q(i, j) -= sum * vectors(i, k);
    }
  }
  a.store(q);
}

/// Reads the upper triangle. Replaces the matrix by its eigenvectors, or by NaN.
template <class T>
void factor_upper_eigh(const Columns<T>& a, bool has_vectors, T* values) {
  Matrix lower = a.load().transposed(), vectors(0, 0);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      require_rule(std::isfinite(lower(i, j)), "an element is not finite: the iteration may hang");
    }
  }
  for (const double value : sim::factor_eigh(lower, vectors)) *values++ = static_cast<T>(value);
  has_vectors ? a.store(vectors) : a.spoil();
}

/// The matrix becomes NaN. Without vectors, u and v become NaN, too.
template <class T>
void factor_by_jacobi(const Columns<T>& a, bool has_vectors, T* values, const Columns<T>& u,
                      const Columns<T>& v) {
  const Matrix from = a.load();
  for (const double x : from.elements) {
    require_rule(std::isfinite(x), "an element is not finite: the iteration may hang");
  }
  Matrix left(0, 0), right(0, 0);
  for (const double value : sim::factor_svd(from, left, right)) *values++ = static_cast<T>(value);
  a.spoil();
  has_vectors ? u.store(left) : u.spoil();
  has_vectors ? v.store(right) : v.spoil();
}

}  // namespace tern::emulator
