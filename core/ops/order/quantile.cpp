// Compiled for size.

#include <string>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Quantiles are composed of differentiable ops: sort, gather, lerp.

namespace tern {
namespace {

void check_interpolation(std::string_view text) {
  for (const char* known : {"linear", "lower", "higher", "midpoint", "nearest"}) {
    if (text == known) return;
  }
  TERN_CHECK(false, Error, "interpolation must be one of linear, lower, higher, midpoint or ",
             "nearest, but got ", std::string(text));
}

void check_quantile(const Tensor& self, const Tensor& q) {
  TERN_CHECK(self.numel() > 0, Error, "input tensor must be non-empty, got ", self.numel(),
             " elements in sizes ", self.sizes());
  TERN_CHECK(self.dtype() == kFloat || self.dtype() == kDouble, DTypeError,
             "input tensor must be either float or double dtype, a floating point dtype of 32 or "
             "64 bits, got ",
             self.scalar_type());
  TERN_CHECK(q.dim() <= 1, ShapeError, "q must be a scalar or 1D tensor, got sizes ", q.sizes());
  TERN_CHECK(q.dtype() == self.dtype(), DTypeError,
             "q tensor must be same dtype as the input tensor, got ", q.scalar_type(), " and ",
             self.scalar_type());
  detail::check_same_device("quantile", {&self, &q}, {"self", "q"});
  if (!q.is_cpu()) return;  // a read would wait for the device
  const Tensor known = q.detach();
  TERN_CHECK(logical_and(known >= 0, known <= 1).all().item<bool>(), Error,
             "q values must be in the range [0, 1]");
}

// Returns the sizes of the result, the number of quantiles first.
DimVector quantile_sizes(const Tensor& self, const Tensor& q, std::optional<std::int64_t> dim,
                         bool keepdim) {
  DimVector sizes;
  sizes.push_back(q.numel());
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    const bool reduced = !dim || static_cast<std::int64_t>(i) == *dim;
    if (!reduced) sizes.push_back(self.sizes()[i]);
    if (reduced && keepdim) sizes.push_back(1);
  }
  return sizes;
}

// Returns the sorted elements with the sizes of the result without the quantiles, and the sorted
// dimension behind them.
Tensor sorted_last(const Tensor& self, std::optional<std::int64_t> dim, const DimVector& sizes) {
  Tensor sorted;
  if (!dim) {
    sorted = std::get<0>(self.reshape({-1}).sort());
  } else if (self.dim() == 0 || *dim == self.dim() - 1) {
    sorted = std::get<0>(self.sort());
  } else {
    sorted = std::get<0>(self.unsqueeze(-1).transpose(*dim, -1).sort());
  }
  DimVector shape = sizes;
  shape.erase(0);
  shape.push_back(self.dim() == 0 ? 1 : sorted.size(-1));
  return sorted.reshape(shape);
}

// Drops the last dimension, of size 1, from a tensor that nobody else has. Not a view, as in
// PyTorch, whose node has this name because it changes the tensor in place.
Tensor without_last(const Tensor& values) {
  DimVector sizes = values.self().sizes, strides = values.self().strides;
  sizes.pop_back();
  strides.pop_back();
  Tensor out = detail::make_alias(values, sizes, strides, values.storage_offset());
  if (!autograd::needs_grad(values)) return out;
  return autograd::record("SqueezeBackward4", out,
                          autograd::wrt(values, [](const Tensor& g) { return g.unsqueeze(-1); }));
}

// Interpolates from the nearer end, as lerp() does. Half of the step stays in the range of the
// dtype.
Tensor between(const Tensor& below, const Tensor& above, const Tensor& weight) {
  const Tensor half_step = above * 0.5 - below * 0.5;
  return where(weight < 0.5, below + weight * 2 * half_step,
               above - half_step * ((1 - weight) * 2));
}

Tensor quantile_of(const Tensor& self, const Tensor& q, std::optional<StrictInt> dim, bool keepdim,
                   std::string_view interpolation, bool ignores_nan) {
  check_quantile(self, q);
  check_interpolation(interpolation);
  std::optional<std::int64_t> d;
  if (dim) d = wrap_dim(*dim, self.dim());
  const Tensor sorted = sorted_last(self, d, quantile_sizes(self, q, d, keepdim));
  const std::int64_t last = sorted.size(-1) - 1;
  const Tensor is_nan = isnan(sorted.detach());
  Tensor ranks;
  if (ignores_nan) {
    ranks = q * (logical_not(is_nan).sum(-1, true) - 1);
    ranks = masked_fill(ranks, ranks < 0, 0);  // of NaNs alone, the quantile is NaN
  } else {
    // NaN is the last element.
    const Tensor any_nan = is_nan.any(-1, true);
    DimVector shape = any_nan.self().sizes;
    shape.back() = q.numel();
    ranks = masked_fill((q * last).expand(shape), any_nan, last);
  }
  if (interpolation == "lower") ranks = floor(ranks);
  if (interpolation == "higher") ranks = ceil(ranks);
  if (interpolation == "nearest") ranks = round(ranks);
  const Tensor below = ranks.detach().to(kLong);
  Tensor values = sorted.gather(-1, below);
  if (interpolation == "linear" || interpolation == "midpoint") {
    const Tensor above = sorted.gather(-1, ceil(ranks.detach()).to(kLong));
    values = interpolation == "linear" ? between(values, above, ranks - below)
                                       : between(values, above, q.detach().new_full({}, 0.5));
  }
  return without_last(q.dim() == 0 ? values : values.unsqueeze(0).transpose(0, -1));
}

Tensor quantile_of(const Tensor& self, double q, std::optional<StrictInt> dim, bool keepdim,
                   std::string_view interpolation, bool ignores_nan) {
  TERN_CHECK(q >= 0 && q <= 1, Error, "q must be in the range [0, 1] but got ", q);
  return quantile_of(self, scalar_tensor(q, self.options().requires_grad(false)), dim, keepdim,
                     interpolation, ignores_nan);
}

}  // namespace

Tensor quantile(const Tensor& self, double q, std::optional<StrictInt> dim, StrictBool keepdim,
                std::string_view interpolation) {
  TERN_OP("quantile", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, quantile, self, q, dim, keepdim, interpolation);
  return quantile_of(self, q, dim, keepdim, interpolation, false);
}
Tensor quantile(const Tensor& self, const Tensor& q, std::optional<StrictInt> dim,
                StrictBool keepdim, std::string_view interpolation) {
  TERN_OP("quantile", self, q);
  TERN_AUTOCAST(kFloat32, kUnchanged, quantile, self, q, dim, keepdim, interpolation);
  return quantile_of(self, q, dim, keepdim, interpolation, false);
}
Tensor nanquantile(const Tensor& self, double q, std::optional<StrictInt> dim, StrictBool keepdim,
                   std::string_view interpolation) {
  TERN_OP("nanquantile", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, nanquantile, self, q, dim, keepdim, interpolation);
  return quantile_of(self, q, dim, keepdim, interpolation, true);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<StrictInt> dim,
                   StrictBool keepdim, std::string_view interpolation) {
  TERN_OP("nanquantile", self, q);
  TERN_AUTOCAST(kFloat32, kUnchanged, nanquantile, self, q, dim, keepdim, interpolation);
  return quantile_of(self, q, dim, keepdim, interpolation, true);
}

}  // namespace tern
