// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <algorithm>

#include <tern/backends/cpu/kernels/linalg/factors.h>
#include <tern/backends/cpu/kernels/linalg/reflectors.h>

namespace tern::cpu {

template <class T>
void qr(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t m = args.m, n = args.n, q = args.columns, k = args.smaller();
  ColumnMajor<T> factors(m, args.out == nullptr ? n : std::max(n, q));
  factors.leftCols(n) = matrix_at<T>(args.a, index, m, n);
  Eigen::Matrix<T, Eigen::Dynamic, 1> tau(k);
  factor_qr(factors.data(), m, n, tau.data());
  auto r = matrix_at<T>(args.second, index, q, n);
  for (std::int64_t i = 0; i < q; ++i) {
    for (std::int64_t j = 0; j < n; ++j) r(i, j) = j >= i && i < m ? factors(i, j) : T(0);
  }
  if (args.out == nullptr) return;
  form_q(factors.data(), m, m, k, q, tau.data());
  matrix_at<T>(args.out, index, m, q) = factors.leftCols(q);
}

template void qr<float>(const LinalgArgs&, std::int64_t);
template void qr<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
