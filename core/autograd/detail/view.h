#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Makes `view`, an alias of part of `of`, known as its view: in-place changes of either then
/// reach the history of both.
TERN_API Tensor as_view(const Tensor& of, Tensor view);

/// The same for one of several views that an op makes at once: an in-place change of it cannot be
/// recorded.
TERN_API Tensor as_piece(const Tensor& of, Tensor view);

/// True for a view that no recorded op may change in place.
inline bool is_fixed(ViewOrigin origin) {
  return origin == ViewOrigin::kNoGrad || origin == ViewOrigin::kPiece;
}

/// Throws Error about an in-place change of such a view, or of its base.
[[noreturn]] TERN_API void throw_fixed_view(const Tensor& view, bool is_direct);

/// Gives a view whose elements were changed in place a rule that leads to its base.
TERN_API void refresh_view(const Tensor& view);

}  // namespace tern::autograd
