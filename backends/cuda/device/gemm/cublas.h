#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/slots.h>

// Matrix products by cuBLASLt. cuBLASLt stores matrices by column, so it reads our row-major
// matrices as their transposes. We therefore ask for the transpose of the result and swap the
// operands: cuBLASLt's a is our b.

namespace tern::cuda::device {

using namespace kernels;

/// A matrix in memory, or a batch of them; distances in elements. If `transposed`, the matrix's
/// rows are the columns of the product's operand.
struct LtMatrix {
  const void* data;
  std::int64_t ld, batch_stride;
  std::int32_t alignment;  // in bytes, of all matrices of the batch
  bool transposed;
  auto operator<=>(const LtMatrix&) const = default;
};

/// d = alpha * a x b + beta * d + bias, where d has rows x columns elements and bias one element
/// per row, all of one type.
struct LtProduct {
  cudaDataType type;
  cublasComputeType_t compute;
  cublasLtEpilogue_t epilogue;
  std::int64_t batch, rows, columns, inner;
  LtMatrix a, b, d, bias;  // without a bias, bias.data is null
  double alpha, beta;
  auto operator<=>(const LtProduct&) const = default;

  /// Returns everything that decides how cuBLASLt computes: all but the addresses and factors.
  LtProduct kind() const {
    LtProduct kind = *this;
    for (LtMatrix* each : {&kind.a, &kind.b, &kind.d, &kind.bias}) each->data = nullptr;
    kind.alpha = kind.beta = 0;
    return kind;
  }
};

/// The largest number of products for which a device remembers the algorithm.
constexpr std::size_t kMostPlans = 1024;

/// Queues a product. Returns false if cuBLASLt has no algorithm for it; failures are reported in
/// the context. The algorithm is looked up once per kind of product and device.
bool run_cublas(const LtProduct& product, KernelContext& context);

/// Runs the gemm slot for floating dtypes and k > 0 through run_cublas. Operands with a layout that
/// cuBLASLt cannot read are copied first. If cuBLASLt cannot add the bias, c is filled with the
/// bias and the product is added to c. Returns false if cuBLASLt has no algorithm, or cannot add
/// the bias and beta != 0; what c holds is then undefined if beta == 0 and unchanged otherwise.
bool gemm_cublas(const GemmArgs& args, KernelContext& context);

}  // namespace tern::cuda::device
