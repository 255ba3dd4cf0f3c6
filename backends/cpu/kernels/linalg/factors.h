#pragma once

#include <Eigen/Core>

#include <tern/core/kernels/families/linalg.h>

// The factorizations of linalg.cpp, each of the matrix `index` of the batch. Each has a source of
// its own, because Eigen takes long to compile.

static_assert(EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4,
              "calls inner functions of Eigen 3.4: run the tests of linalg with another version");

namespace tern::cpu {

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

/// kInverse, kSolve and kDeterminant. Returns the info. Throws std::bad_alloc, as all here.
template <class T>
std::int64_t solve(const LinalgArgs& args, std::int64_t index);
/// kLu. Returns the info.
template <class T>
std::int64_t lu(const LinalgArgs& args, std::int64_t index);
/// kCholesky. Returns the info.
template <class T>
std::int64_t cholesky(const LinalgArgs& args, std::int64_t index);
/// kTriangular.
template <class T>
void triangular(const LinalgArgs& args, std::int64_t index);
/// kEigh. Returns the info.
template <class T>
std::int64_t eigh(const LinalgArgs& args, std::int64_t index);
/// kSvd. Returns the info.
template <class T>
std::int64_t svd(const LinalgArgs& args, std::int64_t index);
/// kQr.
template <class T>
void qr(const LinalgArgs& args, std::int64_t index);

/// A row-major matrix, or part of one.
template <class T>
using Rows = Eigen::Ref<RowMajor<T>>;
template <class T>
using ConstRows = Eigen::Ref<const RowMajor<T>>;

/// Replaces x by the solution of `a` x = x, with the upper or lower triangle of `a`, as if its
/// diagonal were 1 if `unit`.
template <class T>
void solve_triangular(bool upper, bool unit, const ConstRows<T>& a, Rows<T> x);

}  // namespace tern::cpu
