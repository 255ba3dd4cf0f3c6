#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include <tern/backends/cuda/device/gemm/cublas.h>
#include <tern/backends/cuda/device/support/copy.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/core/kernels/families/gemm.h>

namespace tern::cuda::device {
namespace {

constexpr std::int32_t kMostAlignment = 256;  // larger alignments make no difference to cuBLASLt
constexpr std::int32_t kBiasAlignment = 16;   // epilogues read the bias in packs

/// Returns a matrix in rows. Its alignment is the largest power of two, up to kMostAlignment, that
/// divides the addresses of all matrices of the batch.
LtMatrix matrix_at(const void* data, ScalarType dtype, std::int64_t ld, std::int64_t batch_stride) {
  const auto bits = reinterpret_cast<std::uintptr_t>(data) |
                    static_cast<std::uint64_t>(batch_stride) * element_size(dtype);
  const int zeros = std::min(std::countr_zero(bits), std::countr_zero(unsigned{kMostAlignment}));
  return {data, ld, batch_stride, 1 << zeros, false};
}

/// A factor, or the bias, in a layout that cuBLASLt can read; a copy if necessary.
class Operand {
 public:
  Operand(const GemmArgs& args, KernelContext& context, const void* data, std::int64_t rows,
          std::int64_t columns, const MatrixStrides& strides)
      : context_(context),
        dtype_(args.dtype),
        data_(data),
        sizes_{strides.batch == 0 ? 1 : args.batch, rows, columns},
        strides_(strides) {
    const auto [batch_stride, row_stride, column_stride] = strides;
    // The stride of a dimension of size 1 is arbitrary.
    const bool in_rows = batch_stride >= 0 && (columns == 1 || column_stride == 1) &&
                         (rows == 1 || row_stride >= columns);
    const bool in_columns = batch_stride >= 0 && (rows == 1 || row_stride == 1) &&
                            (columns == 1 || column_stride >= rows);
    // A vector fits both layouts; it runs along its longer side.
    if (in_rows && !(in_columns && rows > columns)) {
      matrix_ = matrix_at(data, dtype_, rows == 1 ? columns : row_stride, batch_stride);
    } else if (in_columns) {
      matrix_ = matrix_at(data, dtype_, columns == 1 ? rows : column_stride, batch_stride);
      matrix_.transposed = true;
    } else {
      copy();
    }
  }

  /// Copies the operand into contiguous rows.
  void copy() {
    const std::int64_t size = sizes_.rows * sizes_.columns;
    copy_.emplace(context_, static_cast<std::size_t>(sizes_.batch * size) * element_size(dtype_));
    copy_matrices(context_, dtype_, sizes_, data_, strides_, copy_->get<void>(),
                  {size, sizes_.columns, 1});
    matrix_ = matrix_at(copy_->get<void>(), dtype_, sizes_.columns, strides_.batch == 0 ? 0 : size);
  }

  const LtMatrix& matrix() const { return matrix_; }

 private:
  KernelContext& context_;
  ScalarType dtype_;
  const void* data_;
  MatrixSizes sizes_;
  MatrixStrides strides_;
  std::optional<Scratch> copy_;
  LtMatrix matrix_{};
};

cudaDataType type_of(ScalarType dtype) {
  switch (dtype) {
    case kDouble:
      return CUDA_R_64F;
    case kHalf:
      return CUDA_R_16F;
    case kBFloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(const GemmArgs& args) {
  if (args.dtype == kDouble) return CUBLAS_COMPUTE_64F;
  if (args.dtype != kFloat) return CUBLAS_COMPUTE_32F;
  switch (args.precision) {
    case GemmPrecision::kHighest:
      return CUBLAS_COMPUTE_32F;
    case GemmPrecision::kHigh:
    case GemmPrecision::kMedium:  // as in PyTorch, no less than TensorFloat-32
      return CUBLAS_COMPUTE_32F_FAST_TF32;
  }
  return CUBLAS_COMPUTE_32F;
}

bool gemm_at_precision(const GemmArgs& args, KernelContext& context) {
  // cuBLASLt takes 32-bit sizes.
  if (std::max({args.batch, args.m, args.n, args.k}) > std::numeric_limits<std::int32_t>::max()) {
    return false;
  }
  const auto step = [&](std::int64_t stride) { return args.batch == 1 ? 0 : stride; };
  const Operand a(args, context, args.a, args.m, args.k,
                  {step(args.a_batch_stride), args.a_row_stride, args.a_col_stride});
  const Operand b(args, context, args.b, args.k, args.n,
                  {step(args.b_batch_stride), args.b_row_stride, args.b_col_stride});
  std::optional<Operand> bias;
  const MatrixStrides bias_strides{0, 0, args.bias_stride};
  if (args.bias != nullptr) {
    bias.emplace(args, context, args.bias, 1, args.n, bias_strides);
    if (bias->matrix().transposed || bias->matrix().alignment < kBiasAlignment) bias->copy();
  }
  if (context.status != StatusCode::kOk) return true;

  LtProduct product{type_of(args.dtype),
                    compute_type(args),
                    bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT,
                    args.batch,
                    args.n,
                    args.m,
                    args.k,
                    b.matrix(),
                    a.matrix(),
                    matrix_at(args.c, args.dtype, args.c_row_stride, step(args.c_batch_stride)),
                    bias ? bias->matrix() : LtMatrix{},
                    args.alpha,
                    args.beta};
  if (run_cublas(product, context)) return true;
  // The product is added to the bias in c, so that only the sum is rounded to the dtype.
  if (!bias || args.beta != 0) return false;
  copy_matrices(context, args.dtype, {args.batch, args.m, args.n}, args.bias, bias_strides, args.c,
                {args.c_batch_stride, args.c_row_stride, 1});
  if (context.status != StatusCode::kOk) return true;
  product.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  product.bias = {};
  product.beta = 1;
  return run_cublas(product, context);
}

}  // namespace

bool gemm_cublas(const GemmArgs& args, KernelContext& context) {
  if (gemm_at_precision(args, context)) return true;
  if (args.dtype != kFloat || args.precision == GemmPrecision::kHighest) return false;
  GemmArgs exact = args;  // an older GPU may lack algorithms that round the operands
  exact.precision = GemmPrecision::kHighest;
  return gemm_at_precision(exact, context);
}

}  // namespace tern::cuda::device
