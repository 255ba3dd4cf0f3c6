#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include <tern/backends/cuda/device/copy.h>
#include <tern/backends/cuda/device/gemm_cublas.h>
#include <tern/backends/cuda/device/scratch.h>
#include <tern/core/kernels/families/gemm.h>

namespace tern::cuda::device {
namespace {

constexpr std::int32_t kMostAlignment = 256;  // larger alignments make no difference to cuBLASLt
constexpr std::int32_t kBiasAlignment = 16;   // epilogues read the bias in packs

/// Returns the largest power of two, up to kMostAlignment, that divides the address `data` and all
/// addresses at multiples of `step_bytes` from it.
std::int32_t alignment_of(const void* data, std::int64_t step_bytes) {
  const auto bits = reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uint64_t>(step_bytes);
  return 1 << std::min(std::countr_zero(bits), std::countr_zero(unsigned{kMostAlignment}));
}

/// A factor of the product as the caller gave it.
struct Given {
  const void* data;
  std::int64_t batch, rows, columns;
  std::int64_t batch_stride, row_stride, column_stride;
};

/// A factor, or the bias, in a layout that cuBLASLt can read; a copy if necessary.
class Operand {
 public:
  Operand(const Given& given, ScalarType dtype, KernelContext& context)
      : data_(given.data), item_(static_cast<std::int64_t>(element_size(dtype))) {
    const auto [data, batch, rows, columns, batch_stride, row_stride, column_stride] = given;
    // The stride of a dimension of size 1 is arbitrary.
    const bool in_rows = batch_stride >= 0 && (columns == 1 || column_stride == 1) &&
                         (rows == 1 || row_stride >= columns);
    const bool in_columns = batch_stride >= 0 && (rows == 1 || row_stride == 1) &&
                            (columns == 1 || column_stride >= rows);
    // A vector fits both layouts; it runs along its longer side.
    if (in_rows && !(in_columns && rows > columns)) {
      set(false, rows == 1 ? columns : row_stride, batch_stride);
    } else if (in_columns) {
      set(true, columns == 1 ? rows : column_stride, batch_stride);
    } else {
      copy(given, dtype, context);
    }
  }

  /// Copies the operand into contiguous rows.
  void copy(const Given& given, ScalarType dtype, KernelContext& context) {
    const std::int64_t batch = given.batch_stride == 0 ? 1 : given.batch;
    const std::int64_t size = given.rows * given.columns;
    copy_.emplace(context, static_cast<std::size_t>(batch * size * item_));
    if (context.status != StatusCode::kOk) return;
    data_ = copy_->get<void>();
    CopyArgs args{};
    args.ndim = 3;
    args.out_dtype = args.in_dtype = dtype;
    args.out = copy_->get<void>();
    args.in = given.data;
    const std::int64_t dims[][3] = {{batch, size, given.batch_stride},
                                    {given.rows, given.columns, given.row_stride},
                                    {given.columns, 1, given.column_stride}};
    for (int d = 0; d < 3; ++d) {
      args.sizes[d] = dims[d][0];
      args.out_strides[d] = dims[d][1];
      args.in_strides[d] = dims[d][2];
    }
    device::copy(args, context);
    set(false, given.columns, given.batch_stride == 0 ? 0 : size);
  }

  const void* data() const { return data_; }
  const LtMatrix& matrix() const { return matrix_; }

 private:
  void set(bool transposed, std::int64_t ld, std::int64_t batch_stride) {
    matrix_ = {ld, batch_stride, alignment_of(data_, batch_stride * item_), transposed};
  }

  std::optional<Scratch> copy_;
  const void* data_;
  std::int64_t item_;
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

cublasLtEpilogue_t epilogue_of(const GemmArgs& args) {
  return args.bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// Copies the bias into every row of c.
void fill_with_bias(const GemmArgs& args, KernelContext& context) {
  CopyArgs copied{};
  copied.ndim = 3;
  copied.out_dtype = copied.in_dtype = args.dtype;
  copied.out = args.c;
  copied.in = args.bias;
  copied.sizes[0] = args.batch;
  copied.sizes[1] = args.m;
  copied.sizes[2] = args.n;
  copied.out_strides[0] = args.c_batch_stride;
  copied.out_strides[1] = args.c_row_stride;
  copied.out_strides[2] = 1;
  copied.in_strides[2] = args.bias_stride;
  device::copy(copied, context);
}

bool gemm_at_precision(const GemmArgs& args, KernelContext& context) {
  // cuBLASLt takes 32-bit sizes.
  if (std::max({args.batch, args.m, args.n, args.k}) > std::numeric_limits<std::int32_t>::max()) {
    return false;
  }
  const auto step = [&](std::int64_t stride) { return args.batch == 1 ? 0 : stride; };
  const Operand a({args.a, args.batch, args.m, args.k, step(args.a_batch_stride), args.a_row_stride,
                   args.a_col_stride},
                  args.dtype, context);
  const Operand b({args.b, args.batch, args.k, args.n, step(args.b_batch_stride), args.b_row_stride,
                   args.b_col_stride},
                  args.dtype, context);
  std::optional<Operand> bias;
  if (args.bias != nullptr) {
    const Given given{args.bias, 1, 1, args.n, 0, args.n, args.bias_stride};
    bias.emplace(given, args.dtype, context);
    const LtMatrix& matrix = bias->matrix();
    if (matrix.transposed || matrix.alignment < kBiasAlignment) {
      bias->copy(given, args.dtype, context);
    }
  }
  if (context.status != StatusCode::kOk) return true;

  const std::int64_t c_step = step(args.c_batch_stride);
  const auto item = static_cast<std::int64_t>(element_size(args.dtype));
  const LtMatrix c{args.c_row_stride, c_step, alignment_of(args.c, c_step * item), false};
  LtProduct product{type_of(args.dtype),
                    compute_type(args),
                    epilogue_of(args),
                    args.batch,
                    args.n,
                    args.m,
                    args.k,
                    b.matrix(),
                    a.matrix(),
                    c,
                    bias ? bias->matrix().alignment : 0};
  LtData data{b.data(), a.data(), args.c, bias ? bias->data() : nullptr, args.alpha, args.beta};
  if (run_cublas(product, data, context)) return true;
  // The product is added to the bias in c, so that only the sum is rounded to the dtype.
  if (args.bias == nullptr || args.beta != 0) return false;
  fill_with_bias(args, context);
  if (context.status != StatusCode::kOk) return true;
  product.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  product.bias_alignment = 0;
  data.bias = nullptr;
  data.beta = 1;
  return run_cublas(product, data, context);
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
