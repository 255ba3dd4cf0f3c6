// Compiled for size.

#include <algorithm>
#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Covariances, composed of other ops.

namespace tern {
namespace {

// Checks the weights of cov(); `kind` is "fweights" or "aweights".
void check_observation_weights(const char* kind, const Tensor& weights, bool of_floats,
                               std::int64_t observations) {
  TERN_CHECK(weights.dim() <= 1, ShapeError, "expected ", kind,
             " to have one or fewer dimensions but got ", kind, " with ", weights.dim(),
             " dimensions, sizes ", weights.sizes());
  TERN_CHECK(weights.is_floating_point() == of_floats && weights.dtype() != kBool, DTypeError,
             "expected ", kind, " to have ", of_floats ? "floating point" : "integral",
             " dtype but got ", kind, " with ", weights.scalar_type(), " dtype");
  TERN_CHECK(weights.numel() == observations, ShapeError, "expected ", kind,
             " to have the same numel as there are observations in the input but got ",
             weights.numel(), " != ", observations);
  TERN_CHECK(observations == 0 || weights.is_meta() || (weights.detach() >= 0).all().item<bool>(),
             Error, kind, " cannot be negative");
}

Tensor weighted(const Tensor& x, const Tensor& weights) {
  return weights.defined() ? x * weights : x;
}

// Returns `factor`, or 0 if it is negative.
Tensor non_negative(const Tensor& factor) { return where(factor <= 0, zeros_like(factor), factor); }

Tensor covariance(const Tensor& self, std::int64_t correction, const Tensor& fweights,
                  const Tensor& aweights) {
  TERN_CHECK(self.dim() <= 2, ShapeError,
             "expected input to have two or fewer dimensions but got an input with ", self.dim(),
             " dimensions, sizes ", self.sizes());
  TERN_CHECK(self.dtype() != kBool, NotImplementedError,
             "bool dtype is not supported for input. Got Bool: use to(kFloat) first");
  const Tensor in = self.dim() < 2 ? self.reshape({1, -1}) : self;
  const std::int64_t observations = in.size(1);
  if (fweights.defined()) {
    check_observation_weights("fweights", fweights, false, observations);
  }
  if (aweights.defined()) {
    check_observation_weights("aweights", aweights, true, observations);
  }
  const Tensor weights = fweights.defined() && aweights.defined() ? fweights * aweights
                         : fweights.defined()                     ? fweights
                                                                  : aweights;
  if (!weights.defined()) {
    const Tensor centred = in - (in.sum(1, true) / observations);
    const std::int64_t divisor = std::max<std::int64_t>(observations - correction, 0);
    return (centred.mm(centred.t()) / divisor).squeeze();
  }
  const Tensor total = weights.sum();
  TERN_CHECK(total.is_meta() || (total.detach() != 0).item<bool>(), Error,
             "weights sum to zero, can't be normalized");
  const Tensor divisor = aweights.defined() && correction != 0
                             ? total - (weights * aweights).sum() * correction / total
                             : total - correction;
  const Tensor centred = in - weighted(in, weights).sum(1, true) / total;
  return (centred.mm(weighted(centred, weights).t()) / non_negative(divisor)).squeeze();
}

}  // namespace

Tensor cov(const Tensor& self, StrictInt correction, const Tensor& fweights,
           const Tensor& aweights) {
  TERN_OP("cov", self);
  TERN_AUTOCAST_INNER_OPS();
  detail::check_same_device("cov", {&self, &fweights, &aweights}, {"self", "fweights", "aweights"});
  return covariance(self, correction, fweights, aweights);
}

Tensor corrcoef(const Tensor& self) {
  TERN_OP("corrcoef", self);
  TERN_AUTOCAST_INNER_OPS();
  const Tensor c = covariance(self, 1, {}, {});
  if (c.dim() == 0) return c / c;  // NOLINT(misc-redundant-expression): 1, or NaN
  const Tensor deviation = sqrt(c.as_strided({c.size(0)}, {c.stride(0) + c.stride(1)}));
  return (c / deviation.unsqueeze(1) / deviation.unsqueeze(0)).clamp(-1, 1);
}

}  // namespace tern
