#pragma once

#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/slots.h>

// Kernels compute in five dtypes: float32, float64, int32, int64 and bool. The other five are
// narrow: their elements are converted to a wider dtype, and the results are converted back. So
// there is no second set of kernels for them; but on the CPU, cheap ops on narrow integers have
// loops of their own.

namespace tern::kernels {

/// Returns the dtype in which kernels compute with elements of `dtype`: float32 for float16 and
/// bfloat16, int32 for int16, int8 and uint8, and any other dtype itself.
constexpr ScalarType math_dtype(ScalarType dtype) {
  switch (dtype) {
    case kHalf:
    case kBFloat16:
      return kFloat;
    case kShort:
    case kChar:
    case kByte:
      return kInt;
    default:
      return dtype;
  }
}

/// Returns true if kernels compute with elements of `dtype` in a wider dtype.
constexpr bool is_narrow(ScalarType dtype) { return math_dtype(dtype) != dtype; }

/// The C++ type in which kernels compute with elements of type T.
template <class T>
using MathType = std::conditional_t<
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float,
    std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) < 4,
                       std::int32_t, T>>;

/// Calls `visitor(TypeTag<T>())` with the C++ type of math_dtype(dtype) and returns its result.
template <class Visitor>
decltype(auto) visit_math_dtype(ScalarType dtype, const Visitor& visitor) {
  switch (math_dtype(dtype)) {
    case kFloat:
      return visitor(TypeTag<float>());
    case kDouble:
      return visitor(TypeTag<double>());
    case kInt:
      return visitor(TypeTag<std::int32_t>());
    case kLong:
      return visitor(TypeTag<std::int64_t>());
    default:
      return visitor(TypeTag<bool>());
  }
}

/// Calls `visitor(TypeTag<T>())` with the C++ type of `dtype`, for kernels that have only float and
/// double. For other dtypes sets the status kUnsupportedDtype.
template <class Visitor>
void visit_floating(ScalarType dtype, KernelContext& context, const Visitor& visitor) {
  if (dtype == kFloat) {
    visitor(TypeTag<float>());
  } else if (dtype == kDouble) {
    visitor(TypeTag<double>());
  } else {
    context.status = StatusCode::kUnsupportedDtype;
  }
}

}  // namespace tern::kernels
