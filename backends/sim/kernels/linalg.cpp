#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>

namespace tern::sim {
namespace {

// A row-major matrix of doubles.
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
  void swap_rows(std::int64_t i, std::int64_t k) {
    for (std::int64_t j = 0; j < columns; ++j) std::swap((*this)(i, j), (*this)(k, j));
  }
  template <class T>
  void store(T* to) const {
    for (const double element : elements) *to++ = static_cast<T>(element);
  }
};

Matrix identity(std::int64_t n) {
  Matrix matrix(n, n);
  for (std::int64_t i = 0; i < n; ++i) matrix(i, i) = 1;
  return matrix;
}

// Gauss elimination with partial pivoting: `a` becomes upper triangular, `b` gets the same steps.
// Returns the 1-based index of the first pivot that is 0, or 0.
std::int64_t eliminate(Matrix& a, Matrix& b, double& sign) {
  std::int64_t info = 0;
  for (std::int64_t k = 0; k < a.rows; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    if (a(pivot, k) == 0) {
      if (info == 0) info = k + 1;
      continue;
    }
    if (pivot != k) {
      a.swap_rows(pivot, k);
      b.swap_rows(pivot, k);
      sign = -sign;
    }
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::int64_t j = k; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
      for (std::int64_t j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  return info;
}

// `b` becomes the solution x of a x = b, where `a` is upper triangular.
void substitute_back(Matrix& a, Matrix& b) {
  for (std::int64_t i = a.rows - 1; i >= 0; --i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t k = i + 1; k < a.rows; ++k) b(i, j) -= a(i, k) * b(k, j);
      b(i, j) /= a(i, i);
    }
  }
}

// `a` becomes the lower triangular Cholesky factor of its lower triangle. Returns the order of the
// first leading minor that is not positive definite, or 0.
std::int64_t factor_cholesky(Matrix& a) {
  for (std::int64_t j = 0; j < a.rows; ++j) {
    for (std::int64_t i = 0; i < j; ++i) a(i, j) = 0;
    for (std::int64_t i = j; i < a.rows; ++i) {
      for (std::int64_t k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      if (i == j) {
        if (!(a(j, j) > 0)) return j + 1;
        a(j, j) = std::sqrt(a(j, j));
      } else {
        a(i, j) /= a(j, j);
      }
    }
  }
  return 0;
}

// One matrix and its right-hand side.
template <class T>
std::int64_t compute(const LinalgArgs& args, const T* in, const T* right, T* out) {
  Matrix a(in, args.n, args.n);
  if (args.op == LinalgOp::kCholesky) {
    const std::int64_t info = factor_cholesky(a);
    if (info == 0) a.store(out);
    return info;
  }
  Matrix b = args.op == LinalgOp::kInverse ? identity(args.n)
             : args.op == LinalgOp::kSolve ? Matrix(right, args.n, args.columns)
                                           : Matrix(args.n, 0);
  double sign = 1;
  const std::int64_t info = eliminate(a, b, sign);
  if (args.op == LinalgOp::kDeterminant) {
    double product = sign;
    for (std::int64_t i = 0; i < args.n; ++i) product *= a(i, i);
    *out = static_cast<T>(product);
  } else if (info == 0) {
    substitute_back(a, b);
    b.store(out);
  }
  return info;
}

template <class T>
void apply(const LinalgArgs& args) {
  const std::int64_t out_size = args.op == LinalgOp::kDeterminant ? 1
                                : args.op == LinalgOp::kSolve     ? args.n * args.columns
                                                                  : args.n * args.n;
  const auto a = static_cast<const T*>(args.a), b = static_cast<const T*>(args.b);
  for (std::int64_t i = 0; i < args.batch; ++i) {
    const T* const right = b == nullptr ? nullptr : b + i * args.n * args.columns;
    args.info[i] =
        compute(args, a + i * args.n * args.n, right, static_cast<T*>(args.out) + i * out_size);
  }
}

bool supports(const LinalgArgs& args) { return args.dtype == kFloat || args.dtype == kDouble; }

void linalg(const LinalgArgs& args, KernelContext&) {
  args.dtype == kDouble ? apply<double>(args) : apply<float>(args);
}

}  // namespace

void register_linalg(OracleTable& table) { set<LinalgArgs, supports, linalg>(table); }

}  // namespace tern::sim
