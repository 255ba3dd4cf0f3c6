#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class GridMode : std::int32_t { kBilinear, kNearest, kBicubic };
enum class GridPadding : std::int32_t { kZeros, kBorder, kReflection };

/// Reads a contiguous input [batch, channels, sizes...] at the points of `grid` [batch, points,
/// dims], whose coordinates (x first) are -1 and 1 at the borders. Floating dtypes. In two
/// dimensions sizes[0] is 1.
///   Forward (grad is null): out [batch, channels, points].
///   Backward: grad is the gradient of out. grad_in and grad_grid are null or receive the gradients
///   of input and grid; grad_in must be zero.
struct GridSampleArgs {
  GridMode mode;
  GridPadding padding;
  ScalarType dtype;
  std::int32_t align_corners, dims;
  std::int64_t batch, channels, points;
  std::int64_t sizes[3];
  const void* in;
  const void* grid;
  void* out;
  const void* grad;
  void* grad_in;
  void* grad_grid;
};

TERN_KERNEL_SLOT(grid_sample, GridSampleArgs)

inline Operands operands(GridSampleArgs& args) {
  const std::int64_t planes = args.batch * args.channels, outs = planes * args.points;
  const std::int64_t elements = planes * args.sizes[0] * args.sizes[1] * args.sizes[2];
  const std::int64_t grid = args.batch * args.points * args.dims;
  return Operands()
      .add("the input", args.in, args.dtype, elements)
      .add("the grid", args.grid, args.dtype, grid)
      .add("the output", args.out, args.dtype, outs)
      .add("the gradient", args.grad, args.dtype, outs)
      .add("the gradient of the input", args.grad_in, args.dtype, elements)
      .add("the gradient of the grid", args.grad_grid, args.dtype, grid);
}

}  // namespace tern::kernels
