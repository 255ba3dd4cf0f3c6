#pragma once

#include <cstdint>

#include <tern/core/kernels/families/copy.h>

namespace tern::cuda::device {

/// Queues the kernel of the `copy` slot.
void copy(const kernels::CopyArgs& args, kernels::KernelContext& context);

/// The sizes of a batch of matrices, or its strides in elements.
struct MatrixSizes {
  std::int64_t batch, rows, columns;
};
struct MatrixStrides {
  std::int64_t batch, row, column;
};

/// Copies matrices from one layout to another. Does nothing after a failure.
inline void copy_matrices(kernels::KernelContext& context, ScalarType dtype,
                          const MatrixSizes& sizes, const void* in, const MatrixStrides& in_strides,
                          void* out, const MatrixStrides& out_strides) {
  if (context.status != kernels::StatusCode::kOk) return;
  kernels::CopyArgs args{};
  args.ndim = 3;
  args.out_dtype = args.in_dtype = dtype;
  args.out = out;
  args.in = in;
  const std::int64_t dims[][3] = {{sizes.batch, out_strides.batch, in_strides.batch},
                                  {sizes.rows, out_strides.row, in_strides.row},
                                  {sizes.columns, out_strides.column, in_strides.column}};
  for (int d = 0; d < 3; ++d) {
    args.sizes[d] = dims[d][0];
    args.out_strides[d] = dims[d][1];
    args.in_strides[d] = dims[d][2];
  }
  copy(args, context);
}

}  // namespace tern::cuda::device
