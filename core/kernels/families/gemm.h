#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>
#include <tern/core/tensor/gemm_precision.h>

namespace tern::kernels {

/// c = alpha * a x b + beta * c + bias for each of `batch` matrices, in any dtype but bool. float16
/// and bfloat16 are computed in float32 and rounded once at the end; integers wrap around. Large
/// products of bfloat16 on processors with AVX512-BF16 or AMX count denormal numbers as zero.
/// a is m x k and b is k x n, with any strides: a transposed operand has swapped strides, a
/// broadcast batch has stride 0. c has contiguous rows (c_row_stride >= n). bias is null or has n
/// elements with stride bias_stride. If beta == 0, c is not read. If k == 0, the result is beta * c
/// + bias.
struct GemmArgs {
  ScalarType dtype;
  GemmPrecision precision;  // for float32 only
  std::int64_t batch, m, n, k;
  const void* a;
  std::int64_t a_batch_stride, a_row_stride, a_col_stride;
  const void* b;
  std::int64_t b_batch_stride, b_row_stride, b_col_stride;
  void* c;
  std::int64_t c_batch_stride, c_row_stride;
  const void* bias;
  std::int64_t bias_stride;
  double alpha, beta;
};

TERN_KERNEL_SLOT(gemm, GemmArgs)

inline Operands operands(GemmArgs& args) {
  return Operands()
      .add("a", args.a, args.dtype,
           {{args.batch, args.a_batch_stride},
            {args.m, args.a_row_stride},
            {args.k, args.a_col_stride}})
      .add("b", args.b, args.dtype,
           {{args.batch, args.b_batch_stride},
            {args.k, args.b_row_stride},
            {args.n, args.b_col_stride}})
      .add("c", args.c, args.dtype,
           {{args.batch, args.c_batch_stride}, {args.m, args.c_row_stride}, {args.n, 1}})
      .add("the bias", args.bias, args.dtype, {{args.n, args.bias_stride}});
}

}  // namespace tern::kernels
