#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class CdistOp : std::int32_t {
  kForward,       // out [batch, rows, others]: the distances
  kBackward,      // out [batch, rows, columns]: the gradient of x for the gradient of distances
  kPairs,         // out [rows (rows - 1) / 2]: distances of x from itself, as pdist() orders them
  kPairsBackward  // out [rows, columns]: the gradient of x
};

/// The p-norm distances between the rows of x and the rows of y, float32 and float64, contiguous
/// and row-major; p >= 0. `gradient` and `distances` have the sizes of the distances. The gradient
/// of a distance of 0 is 0, and with p = 0 every gradient is 0. With pairs, y is x, `batch` is 1
/// and `others` is `rows`.
struct CdistArgs {
  CdistOp op;
  ScalarType dtype;
  double p;
  std::int64_t batch, rows, others, columns;
  const void* x;          // [batch, rows, columns]
  const void* y;          // [batch, others, columns]
  const void* gradient;   // null forwards
  const void* distances;  // null forwards
  void* out;
};

TERN_KERNEL_SLOT(cdist, CdistArgs)

/// Returns the index of the pair (i, j), i < j, in the result of pdist().
constexpr std::int64_t pair_index(std::int64_t rows, std::int64_t i, std::int64_t j) {
  return i * (2 * rows - i - 1) / 2 + j - i - 1;
}

constexpr bool is_backward(CdistOp op) {
  return op == CdistOp::kBackward || op == CdistOp::kPairsBackward;
}
constexpr bool is_pairs(CdistOp op) {
  return op == CdistOp::kPairs || op == CdistOp::kPairsBackward;
}

inline Operands operands(CdistArgs& args) {
  const std::int64_t size = args.batch * args.rows * args.columns;
  const std::int64_t distances =
      is_pairs(args.op) ? args.rows * (args.rows - 1) / 2 : args.batch * args.rows * args.others;
  return Operands()
      .add("x", args.x, args.dtype, size)
      .add("y", args.y, args.dtype, args.batch * args.others * args.columns)
      .add("the gradient", args.gradient, args.dtype, distances)
      .add("the distances", args.distances, args.dtype, distances)
      .add("the output", args.out, args.dtype, is_backward(args.op) ? size : distances);
}

}  // namespace tern::kernels
