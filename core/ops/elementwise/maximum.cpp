#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
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

// fmax and fmin: a number wins over NaN.
Tensor number_extremum(const char* name, const char* node, bool is_max, const Tensor& self,
                       const Tensor& other) {
  const ScalarType dtype = result_type({self, other});
  const ElementwiseOp of_floats = is_max ? ElementwiseOp::fmax : ElementwiseOp::fmin;
  const ElementwiseOp of_others = is_max ? ElementwiseOp::maximum : ElementwiseOp::minimum;
  Tensor out = run_elementwise({name, is_floating_point(dtype) ? of_floats : of_others, dtype},
                               {self, other});
  if (!needs_grad(self, other)) return out;
  const auto wins = [is_max](const Tensor& a, const Tensor& b) {
    return logical_or(is_max ? a >= b : a <= b, isnan(b));
  };
  const auto halved = [](const Tensor& g, const Tensor& a, const Tensor& b) {
    return where(a == b, g / 2, g);
  };
  return record(node, out,
                wrt(
                    self,
                    [=](const Tensor& g, const Tensor& a, const Tensor& b) {
                      return where(wins(a, b), halved(g, a, b), 0);
                    },
                    self, other),
                wrt(
                    other,
                    [=](const Tensor& g, const Tensor& a, const Tensor& b) {
                      return where(logical_and(wins(a, b), a != b), 0, halved(g, a, b));
                    },
                    self, other));
}

}  // namespace

Tensor fmax(const Tensor& self, const Tensor& other) {
  TERN_OP("fmax", self, other);
  return number_extremum("fmax", "FmaxBackward0", true, self, other);
}

Tensor fmin(const Tensor& self, const Tensor& other) {
  TERN_OP("fmin", self, other);
  return number_extremum("fmin", "FminBackward0", false, self, other);
}

Tensor maximum(const Tensor& self, const Tensor& other) {
  TERN_OP("maximum", self, other);
  return extremum("maximum", "MaximumBackward0", ElementwiseOp::maximum, true, self, other);
}

Tensor minimum(const Tensor& self, const Tensor& other) {
  TERN_OP("minimum", self, other);
  return extremum("minimum", "MinimumBackward0", ElementwiseOp::minimum, false, self, other);
}

}  // namespace tern
