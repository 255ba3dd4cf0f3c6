// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Ops whose indices count the elements of the whole tensor.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::IndexOp;

// Returns all dimensions of `self` as one indexed row.
detail::AdvancedIndex elements(const char* name, IndexOp op, const Tensor& self,
                               const Tensor& index) {
  detail::AdvancedIndex result{name, op, {{0, self.sizes().size()}}, {}};
  result.at = index.detach().contiguous().unsqueeze(0);
  return result;
}

void put_into(const Tensor& out, const Tensor& index, const Tensor& source, bool accumulate) {
  detail::check_index("put", "put_", out, index);
  detail::check_same_device("put_", {&out, &source}, {"self", "source"});
  TERN_CHECK(out.dtype() == source.dtype(), DTypeError,
             "put(): self and source expected to have the same dtype, but got self.dtype = ",
             out.scalar_type(), " and source.dtype = ", source.scalar_type());
  TERN_CHECK(source.numel() == index.numel(), IndexError,
             "put(): Expected source and index to have the same number of elements, but got "
             "source.numel() = ",
             source.numel(), ", index.numel() = ", index.numel());
  const NoGradGuard no_grad;
  detail::put_advanced(out, elements("put_", IndexOp::kPut, out, index),
                       source.detach().reshape(index.sizes()), accumulate);
}

Tensor put_to(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate,
              const Tensor& into) {
  Tensor out = detail::into_or_copy(into, self, /*keeps_order=*/true);
  put_into(out, index, source, accumulate);
  if (!needs_grad(self, source)) return out;
  return record("PutBackward0", out,
                wrt(
                    self,
                    [accumulate](const Tensor& g, const Tensor& at) {
                      return accumulate ? g : g.put(at, g.new_zeros(at.sizes()));
                    },
                    index),
                wrt(
                    source,
                    [shape = source.self().sizes](const Tensor& g, const Tensor& at) {
                      return g.take(at).reshape(shape);
                    },
                    index));
}

}  // namespace

Tensor take(const Tensor& self, const Tensor& index) {
  TERN_OP("take", self, index);
  detail::check_index("take", "take", self, index);
  TERN_CHECK(self.numel() > 0 || index.numel() == 0, IndexError,
             "take(): tried to take from an empty tensor of sizes ", self.sizes(), ", got ",
             index.numel(), " indices");
  Tensor out = detail::get_advanced(self, elements("take", IndexOp::kTake, self, index));
  if (!needs_grad(self)) return out;
  return record("TakeBackward0", out,
                wrt(
                    self,
                    [shape = self.self().sizes](const Tensor& g, const Tensor& at) {
                      return g.new_zeros(shape).put(at, g, /*accumulate=*/true);
                    },
                    index));
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, StrictBool accumulate) {
  TERN_OP("put", self, index, source);
  return put_to(self, index, source, accumulate, {});
}

Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source, StrictBool accumulate) {
  TERN_OP("put_", self, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return detail::overwrite_into(
      self,
      [&](const Tensor& x, const Tensor& out) { return put_to(x, index, source, accumulate, out); },
      source);
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<StrictInt> dim) {
  TERN_OP("take_along_dim", self, indices, dim);
  TERN_CHECK(indices.dtype() == kLong, DTypeError,
             "torch.take_along_dim(): dtype of indices should be Long but got ",
             indices.scalar_type());
  if (!dim) return self.reshape({-1}).gather(0, indices.reshape({-1}));
  TERN_CHECK(self.dim() == indices.dim(), Error,
             "torch.take_along_dim(): input and indices should have the same number of "
             "dimensions, but got ",
             self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices");
  const auto d = static_cast<std::size_t>(wrap_dim(*dim, self.dim()));
  TERN_CHECK(self.dim() > 0, IndexError, "Dimension specified as ", *dim,
             " but tensor has no dimensions");
  // The sizes along `dim` need not agree.
  DimVector self_sizes = self.self().sizes, index_sizes = indices.self().sizes;
  const std::int64_t self_size = self_sizes[d], index_size = index_sizes[d];
  self_sizes[d] = index_sizes[d] = 1;
  DimVector sizes = broadcast_sizes(self_sizes, index_sizes);
  sizes[d] = self_size;
  const Tensor from = self.sizes() == IntArrayRef(sizes) ? self : self.expand(sizes);
  sizes[d] = index_size;
  // Indices wrap around.
  const Tensor at = self_size > 0 ? indices.remainder(self_size) : indices;
  return from.gather(*dim, at.expand(sizes));
}

}  // namespace tern
