#include <cmath>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/math_dtype.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/detail/reduce.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using detail::reduced_count;

// Computes the norm by its definition, which loses numbers whose powers leave the range of the
// dtype (for order 2: of float64).
Tensor plain_norm(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  if (order == 2) {
    return detail::run_reduce({"norm", kernels::ReduceOp::kNorm, self.dtype(), 1, keepdim}, self,
                              dim);
  }
  return pow(pow(abs(self), order).sum(dim, keepdim), 1 / order);
}

// Returns true if a power may have left the range of the dtype: a norm is infinite or tiny. Only
// norms in host memory can be read without waiting.
template <class T>
bool may_have_lost_range(const Tensor& norms, double order) {
  if (!norms.is_cpu() || !norms.is_contiguous() || order < 0) return false;
  const double smallest =
      std::pow(static_cast<double>(std::numeric_limits<T>::min()) * 1e8, 1 / order);
  const T* const values = norms.data_ptr<T>();
  bool lost = false;
  for (std::int64_t i = 0; i < norms.numel(); ++i) {
    lost |= values[i] < smallest || values[i] > std::numeric_limits<T>::max();
  }
  return lost;
}

// Computes the norm of numbers that are first scaled to at most 1.
Tensor scaled_norm(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  const Tensor largest = abs(self).amax(dim, true);
  const Tensor scale = masked_fill(largest, logical_or(largest == 0, ~isfinite(largest)), 1);
  const Tensor norms = plain_norm(self / scale, order, dim, keepdim);
  return norms * scale.reshape(norms.sizes());
}

Tensor norm_of(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  if (const ScalarType wide = kernels::math_dtype(self.dtype()); wide != self.dtype()) {
    return norm_of(self.to(wide), order, dim, keepdim).to(self.dtype());
  }
  if (order == 0) return (self != 0).to(self.dtype()).sum(dim, keepdim);
  if (order == 1) return abs(self).sum(dim, keepdim);
  if (std::isinf(order)) {
    return order > 0 ? abs(self).amax(dim, keepdim) : abs(self).amin(dim, keepdim);
  }
  if (reduced_count(self, dim) == 1) return abs(self).sum(dim, keepdim);
  const Tensor norms = plain_norm(self, order, dim, keepdim);
  bool lost = false;
  if (self.dtype() == kDouble) {
    lost = may_have_lost_range<double>(norms, order);
  } else if (self.dtype() == kFloat && order != 2) {  // kernels add squares of floats in double
    lost = may_have_lost_range<float>(norms, order);
  }
  return lost && self.numel() != 0 ? scaled_norm(self, order, dim, keepdim) : norms;
}

// Returns the gradient of the norm `y` of x; y broadcasts to x. Divides before it multiplies, so
// that intermediate results stay in the range of the dtype if possible.
Tensor norm_gradient(const Tensor& g, const Tensor& x, const Tensor& y, double order,
                     IntArrayRef dim) {
  if (order == 1) return g * sign(x);
  if (std::isinf(order)) {  // equal extremes share the gradient
    const Tensor chosen = logical_or(abs(x) == y, isnan(x)).to(x.dtype());
    return g * sign(x) * (chosen / chosen.sum(dim, true));
  }
  const Tensor flat = y == 0;
  const Tensor share = x / masked_fill(y, flat, 1);
  if (order == 2) return masked_fill(g * share, flat, 0);
  const Tensor is_zero = logical_or(x == 0, flat);
  const Tensor power = pow(masked_fill(abs(share), is_zero, 1), order - 1);
  return masked_fill(g * (sign(share) * power), is_zero, 0);
}

}  // namespace

Tensor norm(const Tensor& self) { return norm(self, 2); }
Tensor norm(const Tensor& self, const Scalar& p) { return norm(self, p, {}, false); }

Tensor norm(const Tensor& self, const Scalar& p, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("norm", self);
  TERN_CHECK(self.is_floating_point(), DTypeError,
             "norm(): input dtype should be either floating point or complex, got ", self.dtype());
  const double order = p.toDouble();
  const bool has_identity = order >= 0 && !std::isinf(order);
  TERN_CHECK(has_identity || reduced_count(self, dim) != 0, Error,
             "linalg.vector_norm cannot compute the ", p,
             " norm on an empty tensor because the operation does not have an identity. Got sizes ",
             self.sizes());
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = norm_of(self, order, dim, keepdim);
  }
  if (!needs_grad(self)) return out;
  return autograd::record("LinalgVectorNormBackward0", out,
                          autograd::wrt(
                              self,
                              [order, dims = DimVector(dim), keepdim](
                                  const Tensor& g, const Tensor& x, const Tensor& y) {
                                if (order == 0)
                                  return Tensor();  // constant wherever it has a derivative
                                const auto wide = [&](const Tensor& t) {
                                  return detail::restore_dims(t, dims, x.dim(), keepdim);
                                };
                                return norm_gradient(wide(g), x, wide(y), order, dims);
                              },
                              self, out));
}

}  // namespace tern
