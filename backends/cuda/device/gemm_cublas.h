#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/slots.h>

// Matrix products by cuBLASLt. It stores matrices column after column, so what lies there in rows
// is its transpose to it, and it is asked for the transpose of the result: its a is our b.

namespace tern::cuda::device {

using namespace kernels;

/// How a matrix lies in memory, in elements; `transposed`: its rows are the columns of the product.
struct LtMatrix {
  std::int64_t ld, batch_stride;
  std::int32_t alignment;  // in bytes, of all matrices of the batch
  bool transposed;
  auto operator<=>(const LtMatrix&) const = default;
};

/// All that decides how d = alpha * a x b + beta * d + bias is computed, with d of
/// rows x columns and one element of bias for each row. The compute type tells the dtype.
struct LtProduct {
  cublasComputeType_t compute;
  cublasLtEpilogue_t epilogue;
  std::int64_t batch, rows, columns, inner;
  LtMatrix a, b, d;
  std::int32_t bias_alignment;
  auto operator<=>(const LtProduct&) const = default;
};

/// What a product is computed from.
struct LtData {
  const void* a;
  const void* b;
  void* d;
  const void* bias;
  double alpha, beta;
};

/// The most products that one device remembers its algorithm for.
constexpr std::size_t kMostPlans = 1024;

/// Queues a product; false when cuBLASLt has no algorithm for it. A failure is in the context. The
/// algorithm is looked up once for each LtProduct and device.
bool run_cublas(const LtProduct& product, const LtData& data, KernelContext& context);

/// The gemm slot for floating dtypes and k > 0, through run_cublas. What cuBLASLt cannot read is
/// copied first, and a bias that it cannot add is added after the product. False when
/// it has no algorithm at all.
bool gemm_cublas(const GemmArgs& args, KernelContext& context);

/// Adds the bias to c.
void gemm_add_bias(const GemmArgs& args, KernelContext& context);

}  // namespace tern::cuda::device
