#pragma once

#include <type_traits>

#include <tern/core/kernels/slots.h>

// Calls with the C++ type of a dtype, for kernels that lack some of the dtypes that kernels compute
// in. visit_compute_dtype() is for kernels that have all of them.

namespace tern::kernels {

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

/// Calls `visitor(TypeTag<T>())` with the C++ type of `dtype`, for kernels that have every compute
/// dtype but bool. For bool sets the status kUnsupportedDtype.
template <class Visitor>
void visit_numbers(ScalarType dtype, KernelContext& context, const Visitor& visitor) {
  visit_compute_dtype(dtype, [&](auto tag) {
    if constexpr (std::is_same_v<typename decltype(tag)::type, bool>) {
      context.status = StatusCode::kUnsupportedDtype;
    } else {
      visitor(tag);
    }
  });
}

}  // namespace tern::kernels
