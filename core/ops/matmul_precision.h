#pragma once

#include <string_view>

#include <tern/core/base/visibility.h>
#include <tern/core/kernels/args.h>

namespace tern {

/// Sets how exact products of float32 matrices must be, for the whole program:
///   "highest" (the default)  float32 throughout
///   "high"                   may round operands to 10 bits of fraction or more (TensorFloat32)
///   "medium"                 may round operands to bfloat16; sums stay float32
/// A device without the faster arithmetic computes as in "highest". The CPU has one for "medium",
/// with AVX512-BF16, for products whose sides are worth rounding; denormal numbers count as zero
/// there. Other dtypes are untouched. Throws Error for another word.
TERN_API void set_float32_matmul_precision(std::string_view precision);

/// "highest", "high" or "medium".
TERN_API std::string_view get_float32_matmul_precision();

namespace detail {
/// What products tell their kernels.
kernels::GemmPrecision float32_matmul_precision();
}  // namespace detail

}  // namespace tern
