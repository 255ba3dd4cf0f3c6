// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <algorithm>
#include <vector>

#include <Eigen/LU>

#include <tern/backends/cpu/kernels/linalg/factors.h>

namespace tern::cpu {
namespace {

/// Factors the leading columns of `a`, as many as `pivots` has elements: in step i, row i was
/// swapped with row pivots[i] >= i. Returns the number of rows that were swapped.
template <class T>
std::int32_t factor(Rows<T> a, std::int64_t columns, std::int32_t* pivots) {
  std::int32_t swaps = 0;
  Eigen::internal::partial_lu_impl<T, Eigen::RowMajor, std::int32_t>::blocked_lu(
      a.rows(), columns, a.data(), a.outerStride(), pivots, swaps);
  return swaps;
}

template <class T>
void swap_rows(Rows<T> x, const std::int32_t* pivots, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (pivots[i] != i) x.row(i).swap(x.row(pivots[i]));
  }
}

/// Returns the 1-based index of the first pivot that is 0, or 0.
template <class Matrix>
std::int64_t zero_pivot(const Matrix& lu) {
  for (Eigen::Index i = 0; i < std::min(lu.rows(), lu.cols()); ++i) {
    if (lu(i, i) == 0) return i + 1;
  }
  return 0;
}

}  // namespace

template <class T>
std::int64_t lu(const LinalgArgs& args, std::int64_t index) {
  auto out = matrix_at<T>(args.out, index, args.m, args.n);
  out = matrix_at<T>(args.a, index, args.m, args.n);
  const std::int64_t k = args.smaller();
  if (k == 0) return 0;
  std::int32_t* const pivots = args.pivots + index * k;
  // Eigen updates the leading square only: the columns to the right of it follow.
  factor<T>(out, k, pivots);
  Rows<T> right = out.rightCols(args.n - k);
  swap_rows<T>(right, pivots, k);
  solve_triangular<T>(false, true, out.topLeftCorner(k, k), right.topRows(k));
  for (std::int64_t i = 0; i < k; ++i) ++pivots[i];
  return zero_pivot(out);
}

template <class T>
std::int64_t solve(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t n = args.n;
  RowMajor<T> lu = matrix_at<T>(args.a, index, n, n);
  std::vector<std::int32_t> pivots(static_cast<std::size_t>(n));
  const std::int32_t swaps = n == 0 ? 0 : factor<T>(lu, n, pivots.data());
  const std::int64_t info = zero_pivot(lu);
  if (args.op == LinalgOp::kDeterminant) {
    // In double, because a product of some floats may overflow.
    double product = swaps % 2 == 0 ? 1 : -1;
    for (std::int64_t i = 0; i < n; ++i) product *= static_cast<double>(lu(i, i));
    static_cast<T*>(args.out)[index] = static_cast<T>(product);
    return info;
  }
  const bool is_inverse = args.op == LinalgOp::kInverse;
  auto x = matrix_at<T>(args.out, index, n, is_inverse ? n : args.columns);
  if (is_inverse) {
    x.setIdentity();
  } else {
    x = matrix_at<T>(args.b, index, n, args.columns);
  }
  swap_rows<T>(x, pivots.data(), n);
  solve_triangular<T>(false, true, lu, x);
  solve_triangular<T>(true, false, lu, x);
  return info;
}

template std::int64_t lu<float>(const LinalgArgs&, std::int64_t);
template std::int64_t lu<double>(const LinalgArgs&, std::int64_t);
template std::int64_t solve<float>(const LinalgArgs&, std::int64_t);
template std::int64_t solve<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
