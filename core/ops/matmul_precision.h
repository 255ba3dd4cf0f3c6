#pragma once

#include <string_view>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/gemm_precision.h>

namespace tern {

/// Sets how exact products of float32 matrices must be, for the whole program. Throws Error for
/// another word than these:
///
/// - "highest" (the default): float32 throughout.
/// - "high": operands may be rounded to 10 bits of fraction or more (TensorFloat32).
/// - "medium": operands may be rounded to bfloat16; sums stay float32. CUDA takes it for "high", as
///   in PyTorch.
///
/// A device without the faster arithmetic computes as in "highest". CPUs with AVX512-BF16 have it
/// for "medium", for products that are large enough to gain from the rounding; denormal numbers
/// count as zero there. Other dtypes are not affected.
TERN_API void set_float32_matmul_precision(std::string_view precision);

/// Returns the setting: "highest", "high" or "medium".
TERN_API std::string_view get_float32_matmul_precision();

namespace detail {
/// What products tell their kernels.
kernels::GemmPrecision float32_matmul_precision();
}  // namespace detail

}  // namespace tern
