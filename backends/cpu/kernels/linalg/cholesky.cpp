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
  std::int64_t info = Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(out) + 1;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (info == 0 && std::isnan(out(i, i))) info = i + 1;  // Eigen lets NaN pass
    std::fill(out.data() + i * n + i + 1, out.data() + (i + 1) * n, T(0));
  }
  return info;
}

template std::int64_t cholesky<float>(const LinalgArgs&, std::int64_t);
template std::int64_t cholesky<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
