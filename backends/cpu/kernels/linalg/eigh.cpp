// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <algorithm>
#include <limits>

#include <Eigen/Eigenvalues>

#include <tern/backends/cpu/kernels/linalg/factors.h>
#include <tern/backends/cpu/kernels/linalg/reflectors.h>

// Eigen's solver calls this class to make a matrix tridiagonal. The specialization forms the matrix
// of the reflectors with form_q(), because Eigen's templates for it take long to compile.
template <class T>
struct Eigen::internal::tridiagonalization_inplace_selector<tern::cpu::ColumnMajor<T>,
                                                            Eigen::Dynamic, false> {
  using Matrix = tern::cpu::ColumnMajor<T>;
  using CoeffVectorType = typename Tridiagonalization<Matrix>::CoeffVectorType;

  template <class Diagonal, class Below>
  static void run(Matrix& a, Diagonal& diagonal, Below& below, CoeffVectorType& tau,
                  bool has_vectors) {
    tridiagonalization_inplace(a, tau);
    diagonal = a.diagonal();
    below = a.template diagonal<-1>();
    if (!has_vectors) return;
    const Index n = a.rows();
    T* const q = a.data();
    std::copy_backward(q, q + n * (n - 1), q + n * n);
    a.col(0).setZero();
    a.row(0).setZero();
    q[0] = 1;
    tern::cpu::form_q(q + n + 1, n - 1, n, n - 1, n - 1, tau.data());
  }
};

namespace tern::cpu {

template <class T>
std::int64_t eigh(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t n = args.n;
  const ColumnMajor<T> a = matrix_at<T>(args.a, index, n, n);
  auto values = matrix_at<T>(args.out, index, n, 1);
  // The iteration does not end for NaN: these matrices give NaN, as LAPACK does.
  if (!a.template triangularView<Eigen::Lower>().toDenseMatrix().allFinite()) {
    values.setConstant(std::numeric_limits<T>::quiet_NaN());
    if (args.second != nullptr) {
      matrix_at<T>(args.second, index, n, n).setConstant(std::numeric_limits<T>::quiet_NaN());
    }
    return 0;
  }
  const bool has_vectors = args.second != nullptr;
  const Eigen::SelfAdjointEigenSolver<ColumnMajor<T>> solver(
      a, has_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  values = solver.eigenvalues();
  if (solver.info() != Eigen::Success) return 1;
  if (has_vectors) matrix_at<T>(args.second, index, n, n) = solver.eigenvectors();
  return 0;
}

template std::int64_t eigh<float>(const LinalgArgs&, std::int64_t);
template std::int64_t eigh<double>(const LinalgArgs&, std::int64_t);

}  // namespace tern::cpu
