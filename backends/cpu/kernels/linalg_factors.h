#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <tern/core/kernels/families/linalg.h>

// One matrix after the other: the factorizations of linalg.cpp that are more than one call of
// Eigen, with the matrices `index` of the arguments.

namespace tern::cpu {
namespace {

using kernels::LinalgArgs;
using kernels::LinalgOp;

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Returns matrix `index` of a contiguous batch.
template <class T>
Eigen::Map<RowMajor<T>> matrix_at(void* batch, std::int64_t index, std::int64_t rows,
                                  std::int64_t columns) {
  return {static_cast<T*>(batch) + index * rows * columns, rows, columns};
}
template <class T>
Eigen::Map<const RowMajor<T>> matrix_at(const void* batch, std::int64_t index, std::int64_t rows,
                                        std::int64_t columns) {
  return {static_cast<const T*>(batch) + index * rows * columns, rows, columns};
}

/// Returns the 1-based index of the first pivot that is 0, or 0.
template <class Matrix>
std::int64_t zero_pivot(const Matrix& lu) {
  for (Eigen::Index i = 0; i < std::min(lu.rows(), lu.cols()); ++i) {
    if (lu(i, i) == 0) return i + 1;
  }
  return 0;
}

template <class T>
std::int64_t lu(const LinalgArgs& args, std::int64_t index) {
  auto out = matrix_at<T>(args.out, index, args.m, args.n);
  out = matrix_at<T>(args.a, index, args.m, args.n);
  const std::int64_t k = args.smaller();
  if (k == 0) return 0;
  std::int32_t* const pivots = args.pivots + index * k;
  std::int32_t swaps = 0;
  // Eigen updates the leading square only: the columns to the right of it follow.
  Eigen::internal::partial_lu_impl<T, Eigen::RowMajor, std::int32_t>::blocked_lu(
      args.m, k, out.data(), args.n, pivots, swaps);
  auto right = out.rightCols(args.n - k);
  for (std::int64_t i = 0; i < k; ++i) {
    if (pivots[i] != i) right.row(i).swap(right.row(pivots[i]));
    ++pivots[i];
  }
  if (right.cols() > 0)
    out.leftCols(k).template triangularView<Eigen::UnitLower>().solveInPlace(right);
  return zero_pivot(out);
}

template <class T>
void triangular(const LinalgArgs& args, std::int64_t index) {
  const auto a = matrix_at<T>(args.a, index, args.n, args.n);
  auto x = matrix_at<T>(args.out, index, args.n, args.columns);
  x = matrix_at<T>(args.b, index, args.n, args.columns);
  if (args.columns == 0) return;
  if (args.upper != 0) {
    if (args.unit != 0) {
      a.template triangularView<Eigen::UnitUpper>().solveInPlace(x);
    } else {
      a.template triangularView<Eigen::Upper>().solveInPlace(x);
    }
  } else if (args.unit != 0) {
    a.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  } else {
    a.template triangularView<Eigen::Lower>().solveInPlace(x);
  }
}

template <class T>
void qr(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t m = args.m, n = args.n, q = args.columns;
  const Eigen::HouseholderQR<ColumnMajor<T>> factors(
      ColumnMajor<T>(matrix_at<T>(args.a, index, m, n)));
  auto r = matrix_at<T>(args.second, index, q, n);
  for (std::int64_t i = 0; i < q; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      r(i, j) = j >= i && i < m ? factors.matrixQR()(i, j) : T(0);
    }
  }
  if (args.out == nullptr) return;
  matrix_at<T>(args.out, index, m, q) = factors.householderQ() * ColumnMajor<T>::Identity(m, q);
}

template <class T>
std::int64_t eigh(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t n = args.n;
  const ColumnMajor<T> a = matrix_at<T>(args.a, index, n, n);
  auto values = matrix_at<T>(args.out, index, n, 1);
  // The iteration does not end for NaN: these matrices give NaN, as LAPACK does.
  if (!a.template triangularView<Eigen::Lower>().toDenseMatrix().allFinite()) {
    values.setConstant(std::nan(""));
    if (args.second != nullptr) {
      matrix_at<T>(args.second, index, n, n).setConstant(std::nan(""));
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

template <class T>
std::int64_t svd(const LinalgArgs& args, std::int64_t index) {
  const std::int64_t m = args.m, n = args.n, k = args.smaller();
  const ColumnMajor<T> a = matrix_at<T>(args.a, index, m, n);
  if (!a.allFinite()) return 2;
  const bool has_vectors = args.second != nullptr;
  const unsigned options = !has_vectors     ? 0u
                           : args.full != 0 ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                            : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<ColumnMajor<T>> solver(a, options);
  if (solver.info() != Eigen::Success) return 1;
  matrix_at<T>(args.out, index, k, 1) = solver.singularValues();
  if (!has_vectors) return 0;
  matrix_at<T>(args.second, index, m, args.full != 0 ? m : k) = solver.matrixU();
  matrix_at<T>(args.third, index, args.full != 0 ? n : k, n) = solver.matrixV().transpose();
  return 0;
}

}  // namespace
}  // namespace tern::cpu
