#pragma once

#include <tern/core/kernels/slots.h>

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

}  // namespace tern::kernels
