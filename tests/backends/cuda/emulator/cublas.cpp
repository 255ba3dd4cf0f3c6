#include <cublasLt.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/bfloat16.h>
#include <tern/core/base/half.h>

namespace {

tern::emulator::Cublas& state() { return tern::emulator::cublas(); }

void require(bool condition, const char* rule) {
  if (!condition) throw std::logic_error(std::string("cuBLASLt: ") + rule);
}

bool has_bias(const cublasLtMatmulDescOpaque_t& operation) {
  return operation.epilogue == CUBLASLT_EPILOGUE_BIAS;
}

std::uint64_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return std::min<std::uint64_t>(bits & (~bits + 1), 256);
}

void check_layout(const cublasLtMatrixLayoutOpaque_t& layout, cudaDataType type, std::uint64_t rows,
                  std::uint64_t columns) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  require(layout.type == type, "a matrix of another type");
  require(layout.rows == rows && layout.columns == columns, "sizes that do not fit");
  require(rows > 0 && columns > 0 && rows <= kMost && columns <= kMost, "a size out of range");
  require(layout.ld >= static_cast<std::int64_t>(rows), "columns that overlap");
  require(layout.batch > 0 && layout.batch_stride >= 0, "a batch out of range");
}

// Checks a product and returns a number that identifies the algorithm it needs.
std::uint64_t check_problem(const cublasLtMatmulDescOpaque_t& operation,
                            const cublasLtMatrixLayoutOpaque_t& a,
                            const cublasLtMatrixLayoutOpaque_t& b,
                            const cublasLtMatrixLayoutOpaque_t& d) {
  const bool is_double = operation.compute == CUBLAS_COMPUTE_64F;
  require(operation.scale == (is_double ? CUDA_R_64F : CUDA_R_32F), "a scale of another type");
  const cudaDataType type = d.type;
  const bool narrow = type == CUDA_R_16F || type == CUDA_R_16BF;
  require(is_double == (type == CUDA_R_64F), "a compute type that does not fit the matrices");
  require(!narrow || operation.compute == CUBLAS_COMPUTE_32F, "a compute type for float32");
  const std::uint64_t inner = operation.a == CUBLAS_OP_N ? a.columns : a.rows;
  const auto check = [&](const auto& layout, cublasOperation_t form, auto rows, auto columns) {
    check_layout(layout, type, form == CUBLAS_OP_N ? rows : columns,
                 form == CUBLAS_OP_N ? columns : rows);
  };
  check(a, operation.a, d.rows, inner);
  check(b, operation.b, inner, d.columns);
  check(d, CUBLAS_OP_N, d.rows, d.columns);
  require(a.batch == d.batch && b.batch == d.batch, "batches of different size");
  require(d.batch == 1 || d.batch_stride >= static_cast<std::int64_t>(d.columns - 1) * d.ld +
                                                static_cast<std::int64_t>(d.rows),
          "results that overlap");
  require(!has_bias(operation) || operation.bias != nullptr, "an epilogue without its bias");

  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](auto... numbers) {
    ((hash = (hash ^ static_cast<std::uint64_t>(numbers)) * 0x100000001b3), ...);
  };
  add(type, operation.compute, operation.a, operation.b, operation.epilogue, d.batch);
  for (const auto* x : {&a, &b, &d}) add(x->rows, x->columns, x->ld, x->batch_stride);
  return hash;
}

template <class T>
struct Factor {
  const T* data;
  std::int64_t ld;
  bool transposed;
  double at(std::uint64_t row, std::uint64_t column) const {
    if (transposed) std::swap(row, column);
    return static_cast<double>(
        data[static_cast<std::int64_t>(column) * ld + static_cast<std::int64_t>(row)]);
  }
};

// How many parts a sum is split into.
constexpr std::uint64_t kParts = 4;

// One matrix of the batch. If `round_parts`, the parts of a sum are rounded to T.
template <class T, class Scale>
void multiply(const cublasLtMatmulDescOpaque_t& operation, Factor<T> a, Factor<T> b,
              std::uint64_t inner, bool round_parts, Scale alpha, Scale beta, T* d,
              const cublasLtMatrixLayoutOpaque_t& layout) {
  const std::uint64_t step = round_parts ? (inner + kParts - 1) / kParts : inner;
  std::vector<double> sums(layout.rows), part(layout.rows);
  for (std::uint64_t j = 0; j < layout.columns; ++j) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::uint64_t first = 0; first < inner; first += step) {
      std::fill(part.begin(), part.end(), 0.0);
      for (std::uint64_t p = first; p < std::min(first + step, inner); ++p) {
        const double factor = b.at(p, j);
        for (std::uint64_t i = 0; i < layout.rows; ++i) part[i] += a.at(i, p) * factor;
      }
      for (std::uint64_t i = 0; i < layout.rows; ++i) {
        sums[i] += round_parts ? static_cast<double>(static_cast<T>(part[i])) : part[i];
      }
    }
    T* column = d + static_cast<std::int64_t>(j) * layout.ld;
    for (std::uint64_t i = 0; i < layout.rows; ++i) {
      double sum = sums[i] * alpha;
      if (beta != 0) sum += static_cast<double>(beta) * static_cast<double>(column[i]);
      if (has_bias(operation)) {
        sum += static_cast<double>(static_cast<const T*>(operation.bias)[i]);
      }
      column[i] = static_cast<T>(sum);
    }
  }
}

}  // namespace

namespace tern::emulator {

Cublas& cublas() {
  static Cublas& state = *new Cublas;
  return state;
}

}  // namespace tern::emulator

const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  const auto status = static_cast<cublasStatus_t>(state().create_status.load());
  static cublasLtContext context;
  if (status == CUBLAS_STATUS_SUCCESS) *handle = &context;
  return status;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int asked,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* count) {
  require(handle != nullptr, "no handle");
  require(c == d && asked > 0 && results != nullptr, "a wrong search");
  ++state().searches;
  *count = 0;
  const std::uint64_t problem = check_problem(*operation, *a, *b, *d);
  if (state().refuse_products) return CUBLAS_STATUS_SUCCESS;
  const bool rounds = operation->compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                      operation->compute == CUBLAS_COMPUTE_32F_FAST_16BF;
  if (rounds && state().refuse_rounding) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool plain = operation->epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  if (!plain && state().refuse_epilogues) return CUBLAS_STATUS_NOT_SUPPORTED;
  *count = 1;
  *results = {};
  // Long sums of small results are split, if there is memory for the parts; the smallest type for
  // the parts is preferred.
  const std::uint64_t parts =
      kParts * d->rows * d->columns * static_cast<std::uint64_t>(d->batch) * 8;
  const std::uint64_t inner = operation->a == CUBLAS_OP_N ? a->columns : a->rows;
  std::uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_NONE;
  if (inner >= 100 && parts <= preference->workspace) {
    for (const std::uint32_t scheme :
         {CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE}) {
      if ((preference->reductions & scheme) != 0) reduction = scheme;
    }
  }
  results->workspaceSize = reduction != CUBLASLT_REDUCTION_SCHEME_NONE ? parts : 0;
  results->algo.data[0] = problem;
  results->algo.data[1] = results->workspaceSize;
  for (int i = 0; i < 4; ++i) results->algo.data[2 + i] = preference->alignments[i];
  results->algo.data[6] = has_bias(*operation) ? alignment_of(operation->bias) : 0;
  results->algo.data[7] = reduction;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  require(handle != nullptr && algorithm != nullptr, "no handle, or no algorithm");
  require(a != nullptr && b != nullptr && d != nullptr && c == d && c_layout == d_layout,
          "a wrong operand");
  require(check_problem(*operation, *a_layout, *b_layout, *d_layout) == algorithm->data[0],
          "an algorithm of another product");
  require(workspace_bytes >= algorithm->data[1] && (workspace_bytes == 0 || workspace != nullptr),
          "no workspace");
  if (has_bias(*operation)) {
    require(alignment_of(operation->bias) >= std::max<std::uint64_t>(algorithm->data[6], 16),
            "a bias of less alignment");
  }
  ++state().products;
  state().compute_type = operation->compute;
  state().epilogue = operation->epilogue;
  state().a = a;
  state().b = b;
  state().bias = operation->bias;
  const auto status = static_cast<cublasStatus_t>(state().product_status.load());
  if (status != CUBLAS_STATUS_SUCCESS) return status;

  const auto run = [&]<class T, class Scale>(T, Scale) {
    const auto* const all_a = static_cast<const T*>(a);
    const auto* const all_b = static_cast<const T*>(b);
    auto* const all_d = static_cast<T*>(d);
    for (std::int64_t batch = 0; batch < d_layout->batch; ++batch) {
      const std::uint64_t of_d = alignment_of(all_d + batch * d_layout->batch_stride);
      require(alignment_of(all_a + batch * a_layout->batch_stride) >= algorithm->data[2] &&
                  alignment_of(all_b + batch * b_layout->batch_stride) >= algorithm->data[3] &&
                  of_d >= algorithm->data[4] && of_d >= algorithm->data[5],
              "a matrix of less alignment");
    }
    // Copies, because the call may run later.
    tern::emulator::submit(
        stream, [=, op = *operation, layout_a = *a_layout, layout_b = *b_layout,
                 layout_d = *d_layout, algo = *algorithm, scale = *static_cast<const Scale*>(alpha),
                 scale_c = *static_cast<const Scale*>(beta)] {
          if (workspace_bytes > 0) std::memset(workspace, 0xff, workspace_bytes);
          for (std::int64_t batch = 0; batch < layout_d.batch; ++batch) {
            const T* matrix_a = all_a + batch * layout_a.batch_stride;
            const T* matrix_b = all_b + batch * layout_b.batch_stride;
            multiply<T, Scale>(op, {matrix_a, layout_a.ld, op.a == CUBLAS_OP_T},
                               {matrix_b, layout_b.ld, op.b == CUBLAS_OP_T},
                               op.a == CUBLAS_OP_N ? layout_a.columns : layout_a.rows,
                               algo.data[7] == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE, scale,
                               scale_c, all_d + batch * layout_d.batch_stride, layout_d);
          }
        });
  };
  switch (d_layout->type) {
    case CUDA_R_64F:
      run(0.0, 0.0);
      break;
    case CUDA_R_32F:
      run(0.0f, 0.0f);
      break;
    case CUDA_R_16F:
      run(tern::Half(0), 0.0f);
      break;
    case CUDA_R_16BF:
      run(tern::BFloat16(0), 0.0f);
      break;
  }
  return CUBLAS_STATUS_SUCCESS;
}
