#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

// maximum and minimum, and the methods of the arithmetic functions.

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

Tensor Tensor::add(const Tensor& other, const Scalar& alpha) const {
  return tern::add(*this, other, alpha);
}
Tensor Tensor::add(const Scalar& other, const Scalar& alpha) const {
  return tern::add(*this, other, alpha);
}
Tensor Tensor::sub(const Tensor& other, const Scalar& alpha) const {
  return tern::sub(*this, other, alpha);
}
Tensor Tensor::sub(const Scalar& other, const Scalar& alpha) const {
  return tern::sub(*this, other, alpha);
}
Tensor Tensor::mul(const Tensor& other) const { return tern::mul(*this, other); }
Tensor Tensor::mul(const Scalar& other) const { return tern::mul(*this, other); }
Tensor Tensor::div(const Tensor& other) const { return tern::div(*this, other); }
Tensor Tensor::div(const Scalar& other) const { return tern::div(*this, other); }
Tensor Tensor::remainder(const Tensor& other) const { return tern::remainder(*this, other); }
Tensor Tensor::remainder(const Scalar& other) const { return tern::remainder(*this, other); }
Tensor Tensor::pow(const Scalar& exponent) const { return tern::pow(*this, exponent); }
Tensor Tensor::pow(const Tensor& exponent) const { return tern::pow(*this, exponent); }
Tensor Tensor::maximum(const Tensor& other) const { return tern::maximum(*this, other); }
Tensor Tensor::minimum(const Tensor& other) const { return tern::minimum(*this, other); }
Tensor Tensor::addcmul(const Tensor& a, const Tensor& b, const Scalar& value) const {
  return tern::addcmul(*this, a, b, value);
}
Tensor Tensor::lerp(const Tensor& end, const Scalar& weight) const {
  return tern::lerp(*this, end, weight);
}

Tensor& Tensor::operator+=(const Tensor& other) { return add_(other); }
Tensor& Tensor::operator+=(const Scalar& other) { return add_(other); }
Tensor& Tensor::operator-=(const Tensor& other) { return sub_(other); }
Tensor& Tensor::operator-=(const Scalar& other) { return sub_(other); }
Tensor& Tensor::operator*=(const Tensor& other) { return mul_(other); }
Tensor& Tensor::operator*=(const Scalar& other) { return mul_(other); }
Tensor& Tensor::operator/=(const Tensor& other) { return div_(other); }
Tensor& Tensor::operator/=(const Scalar& other) { return div_(other); }

}  // namespace tern
