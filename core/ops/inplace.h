#pragma once

#include <tern/core/autograd/record.h>

// In-place ops. One that has to be recorded is computed out of place and copied, so that what its
// rule keeps is safe; any other writes straight into its tensor.

namespace tern::detail {

/// Throws unless `self` may be changed in place, by an op that is recorded or not.
TERN_API void check_inplace(const Tensor& self, bool recorded);

/// Gives `self` the elements and the history of `result`, which has its sizes. If self is a view,
/// its base gets a rule that joins its old history with the result's.
TERN_API void adopt_result(const Tensor& self, const Tensor& result);

/// Runs `op(out)`, where out is `self` or, for a recorded op, undefined (it makes a fresh tensor).
/// `others` are the op's further tensors.
template <class Op, class... Others>
Tensor& inplace(Tensor& self, const Op& op, const Others&... others) {
  const bool recorded = autograd::needs_grad(self, others...);
  check_inplace(self, recorded);
  if (recorded) {
    adopt_result(self, op(Tensor()));
  } else {
    op(self);
    self.self().storage->bump_version();
  }
  return self;
}

}  // namespace tern::detail
