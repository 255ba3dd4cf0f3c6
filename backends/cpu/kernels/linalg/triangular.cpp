// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <tern/backends/cpu/kernels/linalg/factors.h>

namespace tern::cpu {

template <class T>
void solve_triangular(bool upper, bool unit, const ConstRows<T>& a, Rows<T> x) {
  if (x.size() == 0) return;
  if (upper && unit) {
    a.template triangularView<Eigen::UnitUpper>().solveInPlace(x);
  } else if (upper) {
    a.template triangularView<Eigen::Upper>().solveInPlace(x);
  } else if (unit) {
    a.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  } else {
    a.template triangularView<Eigen::Lower>().solveInPlace(x);
  }
}

template <class T>
void triangular(const LinalgArgs& args, std::int64_t index) {
  const auto a = matrix_at<T>(args.a, index, args.n, args.n);
  auto x = matrix_at<T>(args.out, index, args.n, args.columns);
  x = matrix_at<T>(args.b, index, args.n, args.columns);
  solve_triangular<T>(args.upper != 0, args.unit != 0, a, x);
}

template void solve_triangular<float>(bool, bool, const ConstRows<float>&, Rows<float>);
template void solve_triangular<double>(bool, bool, const ConstRows<double>&, Rows<double>);
template void triangular<float>(const LinalgArgs&, std::int64_t);
template void triangular<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
