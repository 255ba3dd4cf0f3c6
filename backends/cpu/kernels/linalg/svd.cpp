// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <algorithm>
#include <cmath>
#include <vector>

#include <tern/backends/cpu/kernels/linalg/factors.h>
#include <tern/backends/cpu/kernels/linalg/qr_iteration.h>
#include <tern/backends/cpu/kernels/linalg/reflectors.h>

namespace tern::cpu {

// A bidiagonalization and the implicit QR iteration. Eigen's divide and conquer is not used: its
// vectors of matrices of small rank (ones) are not always orthogonal. A wide matrix is transposed.
// All memory is one allocation: the allocator would return many large ones to the system each time.
template <class T>
std::int64_t svd(const LinalgArgs& args, std::int64_t index) {
  const bool is_wide = args.n > args.m, has_vectors = args.second != nullptr;
  const std::int64_t m = std::max(args.m, args.n), n = args.smaller();
  if (n == 0) {
    if (!has_vectors || args.full == 0) return 0;
    matrix_at<T>(is_wide ? args.third : args.second, index, m, m).setIdentity();
    return 0;
  }
  const auto in = matrix_at<T>(args.a, index, args.m, args.n);
  if (!in.allFinite()) return 2;
  const std::int64_t u_columns = has_vectors && args.full != 0 ? m : n;
  const std::int64_t u_scratch = has_vectors ? scratch_size<T>(m, n) : 0;
  const std::int64_t v_scratch = has_vectors ? scratch_size<T>(n, n) : 0;
  std::vector<T> memory(
      static_cast<std::size_t>(m * u_columns + n * (n + 4) + u_scratch + v_scratch));
  T* const u = memory.data();
  T* const v = u + m * u_columns;
  T* const tau = v + n * n;
  T *const right_tau = tau + n, *const above = right_tau + n, *const values = above + n;
  Eigen::Map<ColumnMajor<T>> a(u, m, n);
  if (is_wide) {
    a = in.transpose();
  } else {
    a = in;
  }
  T scale = 0;
  for (std::int64_t i = 0; i < m * n; ++i) scale = std::max(scale, std::abs(u[i]));
  if (scale == 0) scale = 1;
  for (std::int64_t i = 0; i < m * n; ++i) u[i] /= scale;
  bidiagonalize(u, m, n, tau, v + n + 1, n, right_tau, values, above);
  Columns<T> left, right;
  if (has_vectors) {
    form_q(u, m, m, n, u_columns, tau);
    form_q(v + n + 1, n - 1, n, n - 1, n - 1, right_tau);
    v[0] = 1;
    left = {u, m, values + n};
    right = {v, n, values + n + u_scratch};
  }
  if (!iterate_to_diagonal(n, values, above, left, right)) return 1;
  T* const out = static_cast<T*>(args.out) + index * n;
  for (std::int64_t i = 0; i < n; ++i) out[i] = values[i] * scale;
  if (!has_vectors) return 0;
  // The transpose of a column-major matrix is the same matrix row by row.
  const auto transposed_u = matrix_at<T>(static_cast<const void*>(u), 0, u_columns, m);
  const auto transposed_v = matrix_at<T>(static_cast<const void*>(v), 0, n, n);
  if (is_wide) {
    matrix_at<T>(args.second, index, n, n) = transposed_v.transpose();
    matrix_at<T>(args.third, index, u_columns, m) = transposed_u;
  } else {
    matrix_at<T>(args.second, index, m, u_columns) = transposed_u.transpose();
    matrix_at<T>(args.third, index, n, n) = transposed_v;
  }
  return 0;
}

template std::int64_t svd<float>(const LinalgArgs&, std::int64_t);
template std::int64_t svd<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
