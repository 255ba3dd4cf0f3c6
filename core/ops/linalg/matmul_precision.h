#pragma once

#include <string_view>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/gemm_precision.h>

namespace tern {

/// Sets the required precision of float32 matrix products, for the whole program. Throws Error for
/// any word except these:
///
/// - "highest" (the default): float32 throughout.
/// - "high": operands may be rounded to 10 bits of fraction or more (TensorFloat32).
/// - "medium": operands may be rounded to bfloat16; sums stay float32. CUDA treats it as "high", as
///   in PyTorch.
///
/// A device without the faster arithmetic computes as for "highest". CPUs with AVX512-BF16 or AMX
/// use it for "medium", for products that are large enough to gain from the rounding; denormal
/// numbers then count as zero, as they do in large products of bfloat16 with any setting. The
/// setting changes no products of other dtypes.
TERN_API void set_float32_matmul_precision(std::string_view precision);

/// Returns the setting: "highest", "high" or "medium".
TERN_API std::string_view get_float32_matmul_precision();

namespace detail {
/// Returns the precision that products pass to their kernels.
kernels::GemmPrecision float32_matmul_precision();
}  // namespace detail

}  // namespace tern
