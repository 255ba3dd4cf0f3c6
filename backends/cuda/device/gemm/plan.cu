#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <tern/backends/cuda/device/gemm/cublas.h>
#include <tern/backends/cuda/device/runtime/per_device.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/scratch.h>

namespace tern::cuda::device {
namespace {

template <auto kDestroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};
template <class Handle, auto kDestroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<kDestroy>>;
using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

bool succeeded(cublasStatus_t status, const char* function, KernelContext& context) {
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  fail_call(context, function, cublasLtGetStatusName(status), status == CUBLAS_STATUS_ALLOC_FAILED);
  return false;
}

template <class T>
bool set(KernelContext& context, cublasLtMatmulDesc_t operation,
         cublasLtMatmulDescAttributes_t attribute, const T& value) {
  return succeeded(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(T)),
                   "cublasLtMatmulDescSetAttribute", context);
}
template <class T>
bool set(KernelContext& context, cublasLtMatrixLayout_t layout,
         cublasLtMatrixLayoutAttribute_t attribute, const T& value) {
  return succeeded(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof(T)),
                   "cublasLtMatrixLayoutSetAttribute", context);
}
template <class T>
bool set(KernelContext& context, cublasLtMatmulPreference_t preference,
         cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
  return succeeded(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(T)),
                   "cublasLtMatmulPreferenceSetAttribute", context);
}

bool is_double(const LtProduct& product) { return product.type == CUDA_R_64F; }
bool is_narrow(const LtProduct& product) {
  return product.type == CUDA_R_16F || product.type == CUDA_R_16BF;
}
/// The type of alpha and beta.
cudaDataType scale_type(const LtProduct& product) {
  return is_double(product) ? CUDA_R_64F : CUDA_R_32F;
}

/// The cuBLASLt descriptors and the algorithm of a product.
class Plan {
 public:
  /// Returns false if a call failed.
  bool make(cublasLtHandle_t handle, std::size_t most_workspace, const LtProduct& product,
            KernelContext& context) {
    return make_operation(product, context) &&
           make_layout(a_, product, product.a, product.rows, product.inner, context) &&
           make_layout(b_, product, product.b, product.inner, product.columns, context) &&
           make_layout(d_, product, product.d, product.rows, product.columns, context) &&
           find_algorithm(handle, most_workspace, product, context);
  }

  bool has_algorithm() const { return has_algorithm_; }

  /// Returns false if cuBLASLt rejects the algorithm at run time; from then on has_algorithm() is
  /// false, too.
  bool run(cublasLtHandle_t handle, const LtProduct& product, KernelContext& context) {
    std::optional<Scratch> workspace;
    if (workspace_ > 0) workspace.emplace(context, workspace_);
    if (context.status != StatusCode::kOk) return true;
    if (!set_bias(product, context)) return true;
    const float narrow[] = {static_cast<float>(product.alpha), static_cast<float>(product.beta)};
    const void* alpha = is_double(product) ? static_cast<const void*>(&product.alpha) : &narrow[0];
    const void* beta = is_double(product) ? static_cast<const void*>(&product.beta) : &narrow[1];
    void* const d = const_cast<void*>(product.d.data);
    const cublasStatus_t status = cublasLtMatmul(
        handle, operation_.get(), alpha, product.a.data, a_.get(), product.b.data, b_.get(), beta,
        d, d_.get(), d, d_.get(), &algorithm_, workspace ? workspace->get<void>() : nullptr,
        workspace_, static_cast<cudaStream_t>(context.stream));
    has_algorithm_ = status != CUBLAS_STATUS_NOT_SUPPORTED;
    if (has_algorithm_) succeeded(status, "cublasLtMatmul", context);
    return has_algorithm_;
  }

 private:
  bool make_operation(const LtProduct& product, KernelContext& context) {
    cublasLtMatmulDesc_t made = nullptr;
    if (!succeeded(cublasLtMatmulDescCreate(&made, product.compute, scale_type(product)),
                   "cublasLtMatmulDescCreate", context)) {
      return false;
    }
    operation_.reset(made);
    const auto form = [](const LtMatrix& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    return set(context, made, CUBLASLT_MATMUL_DESC_TRANSA, form(product.a)) &&
           set(context, made, CUBLASLT_MATMUL_DESC_TRANSB, form(product.b)) &&
           set(context, made, CUBLASLT_MATMUL_DESC_EPILOGUE, product.epilogue) &&
           set_bias(product, context);  // the heuristic reads the pointer's alignment
  }

  bool set_bias(const LtProduct& product, KernelContext& context) {
    const void* const bias = product.bias.data;
    return bias == nullptr ||
           set(context, operation_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }

  static bool make_layout(Layout& layout, const LtProduct& product, const LtMatrix& matrix,
                          std::int64_t rows, std::int64_t columns, KernelContext& context) {
    if (matrix.transposed) std::swap(rows, columns);
    cublasLtMatrixLayout_t made = nullptr;
    if (!succeeded(cublasLtMatrixLayoutCreate(&made, product.type, static_cast<std::uint64_t>(rows),
                                              static_cast<std::uint64_t>(columns), matrix.ld),
                   "cublasLtMatrixLayoutCreate", context)) {
      return false;
    }
    layout.reset(made);
    const auto batch = static_cast<std::int32_t>(product.batch);
    return set(context, made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch) &&
           set(context, made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batch_stride);
  }

  bool find_algorithm(cublasLtHandle_t handle, std::size_t most_workspace, const LtProduct& product,
                      KernelContext& context) {
    cublasLtMatmulPreference_t made = nullptr;
    if (!succeeded(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate",
                   context)) {
      return false;
    }
    const Preference preference(made);
    const auto aligned = [](const LtMatrix& x) { return static_cast<std::uint32_t>(x.alignment); };
    // Where a sum is split, the parts are kept in float32: the other schemes round them to d's
    // type.
    constexpr std::uint32_t kReduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    if (is_narrow(product) &&
        !set(context, made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReduction)) {
      return false;
    }
    if (!set(context, made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
             std::uint64_t{most_workspace}) ||
        !set(context, made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, aligned(product.a)) ||
        !set(context, made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, aligned(product.b)) ||
        !set(context, made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, aligned(product.d)) ||
        !set(context, made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, aligned(product.d))) {
      return false;
    }
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, operation_.get(), a_.get(), b_.get(), d_.get(), d_.get(), made, 1, &found, &count);
    // cuBLASLt reports "no algorithm" with either status.
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return true;
    if (!succeeded(status, "cublasLtMatmulAlgoGetHeuristic", context)) return false;
    has_algorithm_ = count > 0 && found.state == CUBLAS_STATUS_SUCCESS;
    algorithm_ = found.algo;
    workspace_ = found.workspaceSize;
    return true;
  }

  Operation operation_;
  Layout a_, b_, d_;
  bool has_algorithm_ = false;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t workspace_ = 0;
};

/// The cuBLASLt handle of one device and the plans made there.
class Library {
 public:
  bool run(const LtProduct& product, KernelContext& context) {
    // Held until the product is queued, because the plan stores the address of the bias.
    const std::lock_guard lock(mutex_);
    const RelaxedCapture relaxed;  // the first product of a kind loads its kernels
    if (!open(context)) return true;
    const LtProduct kind = product.kind();
    auto entry = plans_.find(kind);
    if (entry == plans_.end()) {
      Plan plan;
      if (!plan.make(handle_, most_workspace_, product, context)) return true;
      if (plans_.size() >= kMostPlans) plans_.clear();
      entry = plans_.emplace(kind, std::move(plan)).first;
    }
    if (!entry->second.has_algorithm()) return false;
    return entry->second.run(handle_, product, context);
  }

 private:
  bool open(KernelContext& context) {
    if (handle_ != nullptr) return true;
    int device = 0, major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
      error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    }
    if (error != cudaSuccess) {
      fail(context, StatusCode::kDeviceFault, cudaGetErrorString(error));
      return false;
    }
    most_workspace_ = std::size_t{major >= 9 ? 32u : 4u} << 20;
    return succeeded(cublasLtCreate(&handle_), "cublasLtCreate", context);
  }

  std::mutex mutex_;
  cublasLtHandle_t handle_ = nullptr;
  std::size_t most_workspace_ = 0;
  std::map<LtProduct, Plan> plans_;
};

}  // namespace

bool run_cublas(const LtProduct& product, KernelContext& context) {
  try {
    return per_device<Library>(context.device).run(product, context);
  } catch (const std::bad_alloc&) {
    fail(context, StatusCode::kOutOfMemory, "out of host memory");
    return true;
  }
}

}  // namespace tern::cuda::device
