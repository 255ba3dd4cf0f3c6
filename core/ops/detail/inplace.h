#pragma once

#include <tern/core/autograd/record.h>

// In-place ops. One that has to be recorded is computed out of place from a copy, so that what its
// rule keeps is safe; any other writes straight into its tensor.

namespace tern::detail {

/// Throws unless `self` may be changed in place, by an op that is recorded or not.
TERN_API void check_inplace(const Tensor& self, bool recorded);

/// A copy of `self` with self's history.
TERN_API Tensor copy_with_history(const Tensor& self);

/// Gives `self` the elements and the history of `result`, which has its sizes. If self is a view,
/// its base gets a rule that joins its old history with the result's.
TERN_API void adopt_result(const Tensor& self, const Tensor& result);

/// Runs `op(x, out)`: x is what it reads in place of `self`, out where it writes; for a recorded op
/// out is undefined and op makes a fresh tensor. `others` are the op's further tensors.
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
