// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/order/detail/sort.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/tensor/detail/shape.h>

// Extreme values, their indices, and all / any.

namespace tern {

Tensor detail::share_among_equals(const Tensor& g, const Tensor& x, const Tensor& best,
                                  IntArrayRef dims) {
  const Tensor chosen = logical_or(x == best, logical_and(isnan(x), isnan(best)));
  // where() and not a product: 0 * NaN is NaN.
  return where(chosen, g / chosen.sum(dims, true), 0);
}

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::restore_dims;
using detail::run_reduce;
using kernels::ReduceOp;

void check_not_empty(const char* name, const Tensor& self, IntArrayRef dim) {
  if (self.numel() != 0) return;
  TERN_CHECK(!dim.empty(), IndexError, name,
             "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             "reduction dim with the 'dim' argument. Got sizes ",
             self.sizes());
  for (std::int64_t d : dim) {
    const std::int64_t wrapped = wrap_dim(d, self.dim());
    TERN_CHECK(self.size(wrapped) != 0, IndexError, name, "(): Expected reduction dim ", wrapped,
               " to have non-zero size. Got sizes ", self.sizes());
  }
}

// Returns the largest (or smallest) values. Equal values share the gradient; with `nans_share`,
// NaNs count as equal.
Tensor extreme(const char* name, const char* node, ReduceOp op, bool nans_share, const Tensor& self,
               IntArrayRef dim, bool keepdim) {
  check_not_empty(name, self, dim);
  Tensor out = run_reduce({name, op, self.dtype(), 1, keepdim}, self, dim);
  if (!needs_grad(self)) return out;
  return record(node, out,
                wrt(
                    self,
                    [dims = DimVector(dim), keepdim, nans_share](const Tensor& g, const Tensor& x,
                                                                 const Tensor& y) {
                      const auto back = [&](const Tensor& t) {
                        return restore_dims(t, dims, x.dim(), keepdim);
                      };
                      const Tensor best = back(y);
                      if (nans_share) return detail::share_among_equals(back(g), x, best, dims);
                      const Tensor chosen = (x == best).to(x.dtype());
                      return back(g) * (chosen / chosen.sum(dims, true));
                    },
                    self, out));
}

// Returns the extreme values along one dimension and their indices. Only the elements at these
// indices get a gradient.
std::tuple<Tensor, Tensor> extreme_along(const char* name, const char* node, ReduceOp op,
                                         const Tensor& self, std::int64_t dim, bool keepdim) {
  check_not_empty(name, self, dim);
  Tensor values;
  const Tensor indices = run_reduce({name, op, kLong, 1, keepdim}, self, dim, &values);
  if (!needs_grad(self)) return {values, indices};
  const Tensor recorded =
      record(node, values,
             wrt(
                 self,
                 [shape = self.self().sizes, dim, keepdim](const Tensor& g, const Tensor& at) {
                   return detail::put_along(g, shape, dim, at, keepdim);
                 },
                 indices));
  return {recorded, indices};
}

// Returns the index of the extreme element along `dim`, or in the flattened tensor.
Tensor extreme_index(const char* name, ReduceOp op, const Tensor& self,
                     std::optional<std::int64_t> dim, bool keepdim) {
  TERN_CHECK(self.dtype() != kBool, NotImplementedError, name,
             "(): does not support bool input. Got a tensor of ", self.scalar_type(),
             ": use to(kLong) first");
  if (dim) {
    check_not_empty(name, self, *dim);
    return run_reduce({name, op, kLong, 1, keepdim}, self, *dim);
  }
  TERN_CHECK(self.numel() != 0, IndexError, name,
             "(): Expected reduction dim to be specified for input.numel() == 0. Got sizes ",
             self.sizes());
  // Indices count in row-major order: a copy in that order is cheaper than a walk across rows.
  return run_reduce({name, op, kLong, 1, keepdim}, self.detach().contiguous(), {});
}

Tensor logical(const char* name, ReduceOp op, const Tensor& self, std::optional<IntArrayRef> dim,
               bool keepdim) {
  const ScalarType dtype = self.dtype() == kByte ? kByte : kBool;  // as in PyTorch
  if (dim && dim->empty()) return ne(self, 0).to(dtype);
  return run_reduce({name, op, dtype, 1, keepdim}, self, dim.value_or(IntArrayRef()));
}

}  // namespace

Tensor amax(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("amax", self);
  return extreme("amax", "AmaxBackward0", ReduceOp::kAmax, false, self, dim, keepdim);
}
Tensor amin(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("amin", self);
  return extreme("amin", "AminBackward0", ReduceOp::kAmin, false, self, dim, keepdim);
}
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<StrictInt> dim,
                                   StrictBool keepdim) {
  TERN_OP("aminmax", self);
  TERN_CHECK(dim || self.numel() != 0, Error,
             "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
             "identity. Got 0 elements, sizes ",
             self.sizes());
  const std::int64_t along = dim ? std::int64_t{*dim} : 0;
  const IntArrayRef dims = dim ? IntArrayRef(along) : IntArrayRef();
  const auto one = [&](ReduceOp op) {
    return extreme("aminmax", "AminmaxBackward0", op, false, self, dims, keepdim);
  };
  return {one(ReduceOp::kAmin), one(ReduceOp::kAmax)};
}
Tensor max(const Tensor& self, const Tensor& other) {
  TERN_OP("max", self, other);
  return maximum(self, other);
}
Tensor max(const Tensor& self) {
  TERN_OP("max", self);
  return extreme("max", "MaxBackward1", ReduceOp::kAmax, true, self, {}, false);
}
Tensor min(const Tensor& self, const Tensor& other) {
  TERN_OP("min", self, other);
  return minimum(self, other);
}
Tensor min(const Tensor& self) {
  TERN_OP("min", self);
  return extreme("min", "MinBackward1", ReduceOp::kAmin, true, self, {}, false);
}
std::tuple<Tensor, Tensor> max(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("max", self);
  return extreme_along("max", "MaxBackward0", ReduceOp::kArgmax, self, dim, keepdim);
}
std::tuple<Tensor, Tensor> min(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("min", self);
  return extreme_along("min", "MinBackward0", ReduceOp::kArgmin, self, dim, keepdim);
}
Tensor argmax(const Tensor& self, std::optional<StrictInt> dim, StrictBool keepdim) {
  TERN_OP("argmax", self);
  return extreme_index("argmax", ReduceOp::kArgmax, self, dim, keepdim);
}
Tensor argmin(const Tensor& self, std::optional<StrictInt> dim, StrictBool keepdim) {
  TERN_OP("argmin", self);
  return extreme_index("argmin", ReduceOp::kArgmin, self, dim, keepdim);
}
Tensor all(const Tensor& self) {
  TERN_OP("all", self);
  return logical("all", ReduceOp::kAll, self, std::nullopt, false);
}
Tensor all(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("all", self);
  return logical("all", ReduceOp::kAll, self, dim, keepdim);
}
Tensor any(const Tensor& self) {
  TERN_OP("any", self);
  return logical("any", ReduceOp::kAny, self, std::nullopt, false);
}
Tensor any(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("any", self);
  return logical("any", ReduceOp::kAny, self, dim, keepdim);
}

}  // namespace tern
