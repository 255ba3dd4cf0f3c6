#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

// The larger and the smaller of two elements.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::result_type;
using detail::run_elementwise;
using kernels::ElementwiseOp;

// The gradient of maximum and minimum: the chosen side gets all of it; at a tie each side gets
// half.
template <class Compare>
Tensor share(const Tensor& g, const Tensor& mine, const Tensor& other, Compare chosen) {
  const Tensor shared = where(mine == other, g / 2, g);
  return masked_fill(shared, chosen(mine, other), 0);
}

Tensor extremum(const char* name, const char* node, ElementwiseOp op, bool is_max,
                const Tensor& self, const Tensor& other) {
  Tensor out = run_elementwise({name, op, result_type({self, other})}, {self, other});
  if (!needs_grad(self, other)) return out;
  const auto rule = [is_max](const Tensor& g, const Tensor& mine, const Tensor& theirs) {
    return share(g, mine, theirs,
                 [is_max](const Tensor& a, const Tensor& b) { return is_max ? a < b : a > b; });
  };
  return record(node, out, wrt(self, rule, self, other), wrt(other, rule, other, self));
}

}  // namespace

Tensor maximum(const Tensor& self, const Tensor& other) {
  TERN_OP("maximum", self, other);
  return extremum("maximum", "MaximumBackward0", ElementwiseOp::maximum, true, self, other);
}

Tensor minimum(const Tensor& self, const Tensor& other) {
  TERN_OP("minimum", self, other);
  return extremum("minimum", "MinimumBackward0", ElementwiseOp::minimum, false, self, other);
}

}  // namespace tern
