#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class LinalgOp : std::int32_t {
  kInverse,      // out [batch, n, n] = inverse of a
  kSolve,        // out [batch, n, columns] = x with a x = b
  kCholesky,     // out [batch, n, n] = lower triangular l with l l^T = a; reads the lower triangle
  kDeterminant,  // out [batch] = determinant of a
};

/// Dense factorizations of `batch` square matrices, float32 and float64, contiguous and row-major.
/// `info` has one element per matrix: 0, or the 1-based index of the first pivot that is 0 after
/// pivoting by rows; for kCholesky the order of the first leading minor that is not positive
/// definite (one with NaN is not). Where `info` is not 0, the output of the matrix is undefined,
/// apart from a determinant.
struct LinalgArgs {
  LinalgOp op;
  ScalarType dtype;
  std::int64_t batch, n;
  std::int64_t columns;  // of the right-hand side
  const void* a;         // [batch, n, n]
  const void* b;         // [batch, n, columns]; null unless the op is kSolve
  void* out;
  std::int64_t* info;  // [batch]
};

TERN_KERNEL_SLOT(linalg, LinalgArgs)

inline Operands operands(LinalgArgs& args) {
  const std::int64_t right_hand_side = args.batch * args.n * args.columns;
  const std::int64_t matrices = args.batch * args.n * args.n;
  return Operands()
      .add("the matrices", args.a, args.dtype, matrices)
      .add("the right-hand side", args.b, args.dtype, right_hand_side)
      .add("the output", args.out, args.dtype,
           args.op == LinalgOp::kSolve         ? right_hand_side
           : args.op == LinalgOp::kDeterminant ? args.batch
                                               : matrices)
      .add("the info", args.info, kLong, args.batch);
}

}  // namespace tern::kernels
