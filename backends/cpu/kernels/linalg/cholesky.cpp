// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include <tern/backends/cpu/kernels/linalg/factors.h>

namespace tern::cpu {

template <class T>
std::int64_t cholesky(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t n = args.n;
  auto out = matrix_at<T>(args.out, index, n, n);
  out = matrix_at<T>(args.a, index, n, n);
  const Eigen::Index bad = Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(out);
  if (bad >= 0) return bad + 1;
  // Eigen lets NaN pass.
  for (Eigen::Index i = 0; i < n; ++i) {
    if (std::isnan(out(i, i))) return i + 1;
    std::fill(out.data() + i * n + i + 1, out.data() + (i + 1) * n, T(0));
  }
  return 0;
}

template std::int64_t cholesky<float>(const LinalgArgs&, std::int64_t);
template std::int64_t cholesky<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
