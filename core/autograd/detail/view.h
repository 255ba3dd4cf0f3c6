#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Marks `view`, an alias of a part of `of`, as a view of `of`: in-place changes of either tensor
/// then reach the history of both.
TERN_API Tensor as_view(const Tensor& of, Tensor view);

/// Does the same for one of several views that an op makes at once. A recorded op may not change
/// such a view in place.
TERN_API Tensor as_piece(const Tensor& of, Tensor view);

/// Marks a view that the forward() of a Function returns, the only output or one of several. A
/// recorded op may not change it in place.
void mark_function_view(const Tensor& view, bool is_only);

/// Returns true for a view that no recorded op may change in place.
inline bool is_fixed(ViewOrigin origin) {
  return origin != ViewOrigin::kNone && origin != ViewOrigin::kNormal;
}

/// Throws Error for an in-place change of a fixed view (`is_direct`) or of its base.
[[noreturn]] TERN_API void throw_fixed_view(const Tensor& view, bool is_direct);

/// Gives `view`, whose elements were changed in place, a new rule that leads to its base.
TERN_API void refresh_view(const Tensor& view);

}  // namespace tern::autograd
