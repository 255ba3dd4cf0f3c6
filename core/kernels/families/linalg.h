#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// k stands for min(m, n); a is [batch, m, n], square for all ops but the last three.
enum class LinalgOp : std::int32_t {
  kInverse,      // out [batch, n, n] = inverse of a
  kSolve,        // out [batch, n, columns] = x with a x = b
  kCholesky,     // out [batch, n, n] = lower triangular l with l l^T = a; reads the lower triangle
  kDeterminant,  // out [batch] = determinant of a
  kTriangular,   // out [batch, n, columns] = x with a x = b; reads the triangle that `upper` names,
                 // with `unit` as if its diagonal were 1
  kEigh,         // out [batch, n] = ascending eigenvalues of the symmetric matrix in the lower
                 // triangle; second [batch, n, n] = eigenvectors as columns, or null
  kLu,   // out [batch, m, n] = the factors l (without its diagonal of ones) and u of a after
         // its rows were swapped: in step i, row i and row pivots[i] - 1
  kQr,   // out [batch, m, columns] = q or null, columns = k or m;
         // second [batch, columns, n] = r, upper triangular
  kSvd,  // out [batch, k] = descending singular values; second = u and third = v^T or both
         // null; u [batch, m, k], v^T [batch, k, n], with `full` u [batch, m, m],
         // v^T [batch, n, n]
};

/// Dense factorizations of `batch` matrices, float32 and float64, contiguous and row-major. `info`
/// has one element per matrix: 0, or the 1-based index of the first pivot that is 0 after pivoting
/// by rows; for kCholesky the order of the first leading minor that is not positive definite (one
/// with NaN is not); for kEigh and kSvd 1 if the iteration does not converge; for kSvd 2 if an
/// element is infinite or NaN, where kEigh writes NaN and gives 0. Where `info` is not 0,
/// kSolve and kInverse divide by the pivots that are 0, kCholesky stops with the columns before,
/// and the output of kEigh and kSvd is undefined. kTriangular and kQr always give 0.
struct LinalgArgs {
  LinalgOp op;
  ScalarType dtype;
  std::int64_t batch, n;
  std::int64_t columns;  // of the right-hand side, or of q
  const void* a;         // [batch, m, n]
  const void* b;         // [batch, n, columns]; null unless the op solves
  void* out;
  std::int64_t* info;  // [batch]
  std::int64_t m = n;
  void* second = nullptr;
  void* third = nullptr;
  std::int32_t* pivots = nullptr;  // [batch, k]
  std::int32_t upper = 0, unit = 0, full = 0;

  bool solves() const { return op == LinalgOp::kSolve || op == LinalgOp::kTriangular; }
  std::int64_t smaller() const { return m < n ? m : n; }
  /// Returns the number of elements of one matrix in `out`, `second` and `third`.
  std::int64_t out_size() const {
    if (solves()) return n * columns;
    if (op == LinalgOp::kDeterminant) return 1;
    if (op == LinalgOp::kEigh) return n;
    if (op == LinalgOp::kQr) return m * columns;
    return op == LinalgOp::kSvd ? smaller() : m * n;
  }
  std::int64_t second_size() const {
    if (op == LinalgOp::kEigh) return n * n;
    if (op == LinalgOp::kQr) return columns * n;
    return op == LinalgOp::kSvd ? m * (full != 0 ? m : smaller()) : 0;
  }
  std::int64_t third_size() const {
    return op == LinalgOp::kSvd ? n * (full != 0 ? n : smaller()) : 0;
  }
};

TERN_KERNEL_SLOT(linalg, LinalgArgs)

inline Operands operands(LinalgArgs& args) {
  return Operands()
      .add("the matrices", args.a, args.dtype, args.batch * args.m * args.n)
      .add("the right-hand side", args.b, args.dtype, args.batch * args.n * args.columns)
      .add("the output", args.out, args.dtype, args.batch * args.out_size())
      .add("the second output", args.second, args.dtype, args.batch * args.second_size())
      .add("the third output", args.third, args.dtype, args.batch * args.third_size())
      .add("the pivots", args.pivots, kInt, args.batch * args.smaller())
      .add("the info", args.info, kLong, args.batch);
}

}  // namespace tern::kernels
