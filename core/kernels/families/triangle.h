#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// Copies matrices and sets the elements outside of a triangle to zero: out[.., r, c] = in[.., r,
/// c] if c <= r + diagonal (lower triangle) or c >= r + diagonal (upper triangle), else 0. The last
/// two dimensions are the matrices, and -rows <= diagonal <= columns. `in` may be the memory of
/// `out` with the same strides: then only zeros are written.
struct TriangleArgs {
  ScalarType dtype;
  std::int32_t upper;  // 1 or 0
  std::int32_t ndim;   // at least 2
  std::int64_t diagonal;
  std::int64_t sizes[kMaxDims];
  const void* in;
  void* out;
  std::int64_t in_strides[kMaxDims];
  std::int64_t out_strides[kMaxDims];
};

TERN_KERNEL_SLOT(triangle, TriangleArgs)

/// The columns [begin, end) of a row that belong to the triangle.
struct TriangleRow {
  std::int64_t begin, end;
};
constexpr TriangleRow triangle_row(const TriangleArgs& args, std::int64_t row) {
  const std::int64_t columns = args.sizes[args.ndim - 1];
  const std::int64_t edge = row + args.diagonal + (args.upper != 0 ? 0 : 1);
  const std::int64_t column = edge < 0 ? 0 : edge > columns ? columns : edge;
  return args.upper != 0 ? TriangleRow{column, columns} : TriangleRow{0, column};
}

inline Operands operands(TriangleArgs& args) {
  return Operands()
      .add("the input", args.in, args.dtype, extents(args.ndim, args.sizes, args.in_strides))
      .add("the output", args.out, args.dtype, extents(args.ndim, args.sizes, args.out_strides));
}

}  // namespace tern::kernels
