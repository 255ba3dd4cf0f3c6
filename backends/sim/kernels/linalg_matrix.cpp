#include <algorithm>
#include <numeric>

#include <tern/backends/sim/kernels/linalg_matrix.h>

namespace tern::sim {
namespace {

// Returns the order in which `values` ascend or descend.
std::vector<std::int64_t> sorted_order(const std::vector<double>& values, bool descends) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    const double a = values[static_cast<std::size_t>(i)], b = values[static_cast<std::size_t>(j)];
    return descends ? a > b : a < b;
  });
  return order;
}

Matrix with_columns(const Matrix& from, const std::vector<std::int64_t>& order) {
  Matrix result(from.rows, static_cast<std::int64_t>(order.size()));
  for (std::int64_t j = 0; j < result.columns; ++j) {
    for (std::int64_t i = 0; i < from.rows; ++i) {
      result(i, j) = from(i, order[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

double dot_of_columns(const Matrix& a, std::int64_t j, const Matrix& b, std::int64_t k) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) sum += a(i, j) * b(i, k);
  return sum;
}

// Cosine and sine of the rotation that makes [[a, c], [c, b]] diagonal.
std::pair<double, double> jacobi_rotation(double a, double b, double c) {
  const double tau = (b - a) / (2 * c);
  const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const double cosine = 1 / std::sqrt(1 + t * t);
  return {cosine, t * cosine};
}

}  // namespace

std::int64_t factor_lu(Matrix& a, std::int32_t* pivots) {
  std::int64_t info = 0;
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    pivots[k] = static_cast<std::int32_t>(pivot + 1);
    if (a(pivot, k) == 0) {
      if (info == 0) info = k + 1;
      continue;
    }
    a.swap_rows(pivot, k);
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (std::int64_t j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return info;
}

void factor_qr(const Matrix& a, Matrix& q, Matrix& r) {
  r = a;
  q = identity(a.rows);
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    double below = 0;
    for (std::int64_t i = k + 1; i < a.rows; ++i) below += r(i, k) * r(i, k);
    if (below == 0) continue;  // no reflection, whatever the sign
    const double norm = std::sqrt(below + r(k, k) * r(k, k));
    std::vector<double> v(static_cast<std::size_t>(a.rows));
    for (std::int64_t i = k; i < a.rows; ++i) v[static_cast<std::size_t>(i)] = r(i, k);
    v[static_cast<std::size_t>(k)] += r(k, k) >= 0 ? norm : -norm;
    double square = 0;
    for (const double x : v) square += x * x;
    for (std::int64_t j = 0; j < a.columns; ++j) {
      double sum = 0;
      for (std::int64_t i = k; i < a.rows; ++i) sum += v[static_cast<std::size_t>(i)] * r(i, j);
      for (std::int64_t i = k; i < a.rows; ++i) {
        r(i, j) -= 2 * sum / square * v[static_cast<std::size_t>(i)];
      }
    }
    for (std::int64_t i = 0; i < a.rows; ++i) {
      double sum = 0;
      for (std::int64_t j = k; j < a.rows; ++j) sum += q(i, j) * v[static_cast<std::size_t>(j)];
      for (std::int64_t j = k; j < a.rows; ++j) {
        q(i, j) -= 2 * sum / square * v[static_cast<std::size_t>(j)];
      }
    }
    for (std::int64_t i = k + 1; i < a.rows; ++i) r(i, k) = 0;
  }
}

std::vector<double> factor_eigh(Matrix a, Matrix& vectors) {
  const std::int64_t n = a.rows;
  vectors = identity(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i + 1; j < n; ++j) a(i, j) = a(j, i);
  }
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        if (std::abs(a(i, j)) <= 1e-17 * std::sqrt(std::abs(a(i, i) * a(j, j)))) continue;
        const auto [c, s] = jacobi_rotation(a(i, i), a(j, j), a(i, j));
        a.rotate_columns(i, j, c, s);
        Matrix rows = a.transposed();
        rows.rotate_columns(i, j, c, s);
        a = rows.transposed();
        vectors.rotate_columns(i, j, c, s);
        rotated = true;
      }
    }
    if (!rotated) break;
  }
  std::vector<double> values(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = a(i, i);
  const std::vector<std::int64_t> order = sorted_order(values, false);
  vectors = with_columns(vectors, order);
  std::vector<double> result;
  result.reserve(order.size());
  for (const std::int64_t i : order) result.push_back(values[static_cast<std::size_t>(i)]);
  return result;
}

std::vector<double> factor_svd(const Matrix& a, Matrix& u, Matrix& v) {
  if (a.rows < a.columns) return factor_svd(a.transposed(), v, u);
  const std::int64_t m = a.rows, n = a.columns;
  Matrix work = a;
  v = identity(n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        const double x = dot_of_columns(work, i, work, i), y = dot_of_columns(work, j, work, j);
        const double xy = dot_of_columns(work, i, work, j);
        if (xy == 0 || std::abs(xy) <= 1e-16 * std::sqrt(x * y)) continue;
        const auto [c, s] = jacobi_rotation(x, y, xy);
        work.rotate_columns(i, j, c, s);
        v.rotate_columns(i, j, c, s);
        rotated = true;
      }
    }
    if (!rotated) break;
  }
  std::vector<double> norms(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    norms[static_cast<std::size_t>(j)] = std::sqrt(dot_of_columns(work, j, work, j));
  }
  const std::vector<std::int64_t> order = sorted_order(norms, true);
  v = with_columns(v, order);
  work = with_columns(work, order);
  std::vector<double> values;
  values.reserve(order.size());
  for (const std::int64_t j : order) values.push_back(norms[static_cast<std::size_t>(j)]);
  // Columns of u: those of `work` scaled to 1, then unit vectors made orthogonal to them.
  u = Matrix(m, m);
  std::int64_t count = 0, unit = 0;
  for (std::int64_t j = 0; j < m; ++j) {
    const bool is_given = j < n && values[static_cast<std::size_t>(j)] > 1e-14 * values[0];
    for (;;) {
      for (std::int64_t i = 0; i < m; ++i) {
        u(i, count) = is_given ? work(i, j) : (i == unit % m ? 1.0 : 0.0);
      }
      if (!is_given) ++unit;
      for (int again = 0; again < 2; ++again) {
        for (std::int64_t before = 0; before < count; ++before) {
          const double part = dot_of_columns(u, before, u, count);
          for (std::int64_t i = 0; i < m; ++i) u(i, count) -= part * u(i, before);
        }
      }
      const double norm = std::sqrt(dot_of_columns(u, count, u, count));
      if (!is_given && norm < 1e-4 && unit < 2 * m) continue;
      for (std::int64_t i = 0; i < m; ++i) u(i, count) /= norm;
      break;
    }
    ++count;
  }
  return values;
}

}  // namespace tern::sim
