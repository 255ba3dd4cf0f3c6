#pragma once

#include <tern/core/autograd/record.h>

// In-place ops. A recorded op is computed out of place from a copy, so that the tensors that its
// rule saves stay valid. Any other op writes directly to its tensor.

namespace tern::detail {

/// Throws Error unless `self` may be changed in place. `recorded`: the op is recorded.
TERN_API void check_inplace(const Tensor& self, bool recorded);

/// Returns a copy of `self` with self's history.
TERN_API Tensor copy_with_history(const Tensor& self);

/// Gives `self` the elements and the history of `result`, which has the same sizes. If `self` is a
/// view, its base gets a rule that joins the base's old history with the result's.
TERN_API void adopt_result(const Tensor& self, const Tensor& result);

/// Runs `op(x, out)`: x is read in place of `self`, and the result is written to `out`. For a
/// recorded op, `out` is undefined and `op` returns a new tensor. `others` are the other tensors of
/// the op.
template <class Op, class... Others>
Tensor& inplace(Tensor& self, const Op& op, const Others&... others) {
  const bool recorded = autograd::needs_grad(self, others...);
  check_inplace(self, recorded);
  if (recorded) {
    adopt_result(self, op(copy_with_history(self), Tensor()));
  } else {
    op(self, self);
    self.self().storage->bump_version();
  }
  return self;
}

}  // namespace tern::detail
