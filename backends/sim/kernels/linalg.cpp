#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/linalg_matrix.h>

namespace tern::sim {
namespace {

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
  }
  for (std::int64_t j = 0; j < a.rows; ++j) {
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
    a.store(out);
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
  } else {
    substitute_back(a, b);
    b.store(out);
  }
  return info;
}

// Returns the part of `from` with these sizes.
Matrix corner(const Matrix& from, std::int64_t rows, std::int64_t columns) {
  Matrix result(rows, columns);
  for (std::int64_t i = 0; i < std::min(rows, from.rows); ++i) {
    for (std::int64_t j = 0; j < std::min(columns, from.columns); ++j) result(i, j) = from(i, j);
  }
  return result;
}

bool has_nan(const Matrix& a) {
  return std::any_of(a.elements.begin(), a.elements.end(),
                     [](double x) { return !std::isfinite(x); });
}

// Substitution of a triangular matrix, from the row where it begins.
void solve_triangular(const LinalgArgs& args, const Matrix& a, Matrix& x) {
  for (std::int64_t step = 0; step < args.n; ++step) {
    const std::int64_t i = args.upper != 0 ? args.n - 1 - step : step;
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t done = 0; done < step; ++done) {
        const std::int64_t k = args.upper != 0 ? args.n - 1 - done : done;
        x(i, j) -= a(i, k) * x(k, j);
      }
      if (args.unit == 0) x(i, j) /= a(i, i);
    }
  }
}

// The ops that need more than a matrix and its right-hand side; `i` is the index in the batch.
template <class T>
std::int64_t compute_factors(const LinalgArgs& args, std::int64_t i) {
  Matrix a(static_cast<const T*>(args.a) + i * args.m * args.n, args.m, args.n);
  const auto at = [i](void* batch, std::int64_t size) {
    return batch == nullptr ? nullptr : static_cast<T*>(batch) + i * size;
  };
  T* const out = at(args.out, args.out_size());
  T* const second = at(args.second, args.second_size());
  T* const third = at(args.third, args.third_size());
  const std::int64_t k = args.smaller();
  if (args.op == LinalgOp::kTriangular) {
    Matrix x(static_cast<const T*>(args.b) + i * args.n * args.columns, args.n, args.columns);
    solve_triangular(args, a, x);
    x.store(out);
    return 0;
  }
  if (args.op == LinalgOp::kLu) {
    const std::int64_t info = factor_lu(a, args.pivots + i * k);
    a.store(out);
    return info;
  }
  Matrix u(0, 0), v(0, 0);
  if (args.op == LinalgOp::kQr) {
    factor_qr(a, u, v);
    if (out != nullptr) corner(u, args.m, args.columns).store(out);
    corner(v, args.columns, args.n).store(second);
    return 0;
  }
  if (has_nan(a)) {
    if (args.op == LinalgOp::kSvd) return 2;
    std::fill(out, out + args.n, static_cast<T>(NAN));
    if (second != nullptr) std::fill(second, second + args.n * args.n, static_cast<T>(NAN));
    return 0;
  }
  if (args.op == LinalgOp::kEigh) {
    const std::vector<double> values = factor_eigh(a, u);
    std::transform(values.begin(), values.end(), out, [](double x) { return static_cast<T>(x); });
    if (second != nullptr) u.store(second);
    return 0;
  }
  const std::vector<double> values = factor_svd(a, u, v);
  std::transform(values.begin(), values.end(), out, [](double x) { return static_cast<T>(x); });
  if (second == nullptr) return 0;
  corner(u, args.m, args.full != 0 ? args.m : k).store(second);
  corner(v.transposed(), args.full != 0 ? args.n : k, args.n).store(third);
  return 0;
}

template <class T>
void apply(const LinalgArgs& args) {
  const auto a = static_cast<const T*>(args.a), b = static_cast<const T*>(args.b);
  for (std::int64_t i = 0; i < args.batch; ++i) {
    if (args.op >= LinalgOp::kTriangular) {
      args.info[i] = compute_factors<T>(args, i);
      continue;
    }
    const T* const right = b == nullptr ? nullptr : b + i * args.n * args.columns;
    args.info[i] = compute(args, a + i * args.n * args.n, right,
                           static_cast<T*>(args.out) + i * args.out_size());
  }
}

bool supports(const LinalgArgs& args) { return args.dtype == kFloat || args.dtype == kDouble; }

void linalg(const LinalgArgs& args, KernelContext&) {
  args.dtype == kDouble ? apply<double>(args) : apply<float>(args);
}

}  // namespace

void register_linalg(OracleTable& table) { set<LinalgArgs, supports, linalg>(table); }

}  // namespace tern::sim
