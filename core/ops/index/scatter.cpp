// Compiled for size.

#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/index/detail/scatter.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::IndexOp;

// gather and scatter need an index with as many dimensions as the tensor, and not larger than the
// tensor except along `dim`. An empty index may have any shape.
void check_index_shape(const char* name, const Tensor& self, const Tensor& index, std::size_t dim) {
  if (index.numel() == 0) return;
  TERN_CHECK(self.dim() == index.dim(), ShapeError, name,
             "(): Index tensor must have the same number of dimensions as input tensor, got ",
             index.sizes(), " and ", self.sizes());
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    TERN_CHECK(d == dim || index.sizes()[d] <= self.sizes()[d], ShapeError, name,
               "(): Size does not match at dimension ", d, " expected index ", index.sizes(),
               " to be no larger than self ", self.sizes(), " apart from dimension ", dim);
  }
}

// Returns `self` narrowed to the sizes of the index, except along `dim`.
Tensor cut_to(const Tensor& self, const Tensor& index, std::size_t dim) {
  Tensor part = self;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (d != dim && index.sizes()[d] != self.sizes()[d]) {
      part = part.narrow(static_cast<std::int64_t>(d), 0, index.sizes()[d]);
    }
  }
  return part;
}

// Returns the part of `source` that has the index's shape. Differentiable.
Tensor used_part(const Tensor& source, const Tensor& index) {
  if (source.sizes() == index.sizes() || index.numel() == 0) return source;
  const Tensor from = detail::at_least_1d(source), indices = detail::at_least_1d(index);
  const Tensor part = cut_to(from, indices, from.sizes().size());
  return part.sizes() == index.sizes() ? part : part.reshape(index.sizes());
}

void check_scatter(const char* name, const Tensor& self, std::int64_t dim, const Tensor& index,
                   const Tensor& source) {
  if (index.numel() != 0) detail::check_index(name, name, self, index);
  detail::check_same_device(name, {&self, &source}, {"self", "src"});
  TERN_CHECK(self.dtype() == source.dtype(), DTypeError,
             "scatter(): Expected self.dtype to be equal to src.dtype, got ", self.scalar_type(),
             " and ", source.scalar_type());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const Tensor indices = detail::at_least_1d(index), from = detail::at_least_1d(source);
  check_index_shape(name, detail::at_least_1d(self), indices, d);
  check_index_shape(name, from, indices, from.sizes().size());
}

// Scatters `source`, a part of the index's shape or one element for all, to `out`.
void scatter_into(const char* name, IndexOp op, const Tensor& out, std::int64_t dim,
                  const Tensor& index, const Tensor& source) {
  if (index.numel() == 0) return;
  const NoGradGuard no_grad;
  const auto d = static_cast<std::size_t>(wrap_dim(dim, out.dim()));
  const Tensor indices = detail::apart_from(out, detail::at_least_1d(index).contiguous());
  const Tensor from = detail::apart_from(out, source.detach()).expand(index.sizes()).contiguous();
  detail::write_contiguous(detail::at_least_1d(out.detach()), [&](const Tensor& whole) {
    // The kernel needs equal shapes on both sides, so a smaller index works on a dense part.
    const Tensor part = cut_to(whole, indices, d);
    detail::write_contiguous(part, [&](const Tensor& target) {
      detail::run_index(name, op, from, target, indices, d, indices.sizes()[d], part.sizes()[d]);
    });
  });
}

// A number takes the conversion of fill_().
Tensor scattered_number(const Tensor& self, const Scalar& value) {
  return detail::make_tensor({}, self.dtype(), self.device()).fill_(value);
}

void check_number_scatter(const Tensor& self, std::int64_t dim, const Tensor& index) {
  if (index.numel() != 0) detail::check_index("scatter", "scatter", self, index);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  check_index_shape("scatter", detail::at_least_1d(self), detail::at_least_1d(index), d);
}

Tensor replaced(const Tensor& self, std::int64_t dim, const Tensor& any_index, const Scalar& value,
                const Tensor& into = {}) {
  const Tensor index = detail::as_long(any_index);
  check_number_scatter(self, dim, index);
  Tensor out = detail::into_or_copy(into, self);
  scatter_into("scatter", IndexOp::kScatter, out, dim, index, scattered_number(out, value));
  if (!needs_grad(self)) return out;
  return record(
      "ScatterBackward1", out,
      wrt(
          self, [dim](const Tensor& g, const Tensor& at) { return g.scatter(dim, at, 0); }, index));
}

Tensor replaced(const Tensor& self, std::int64_t dim, const Tensor& any_index, const Tensor& whole,
                const Tensor& into = {}) {
  const Tensor index = detail::as_long(any_index);
  check_scatter("scatter", self, dim, index, whole);
  const Tensor source = used_part(whole, index);
  Tensor out = detail::into_or_copy(into, self);
  scatter_into("scatter", IndexOp::kScatter, out, dim, index, source);
  if (!needs_grad(self, source)) return out;
  return record(
      "ScatterBackward0", out,
      wrt(
          self, [dim](const Tensor& g, const Tensor& at) { return g.scatter(dim, at, 0); }, index),
      wrt(
          source,
          [dim, shape = source.self().sizes](const Tensor& g, const Tensor& at) {
            return at.numel() == 0 ? g.new_zeros(shape) : g.gather(dim, at);
          },
          index));
}

Tensor added(const Tensor& self, std::int64_t dim, const Tensor& any_index, const Tensor& whole,
             const Tensor& into = {}) {
  const Tensor index = detail::as_long(any_index);
  check_scatter("scatter_add", self, dim, index, whole);
  const Tensor source = used_part(whole, index);
  Tensor out = detail::into_or_copy(into, self);
  scatter_into("scatter_add", IndexOp::kScatterAdd, out, dim, index, source);
  if (!needs_grad(self, source)) return out;
  return record("ScatterAddBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(
                    source,
                    [dim, shape = source.self().sizes](const Tensor& g, const Tensor& at) {
                      return at.numel() == 0 ? g.new_zeros(shape) : g.gather(dim, at);
                    },
                    index));
}

// The old reductions of scatter(), by their new names.
std::string_view new_name(std::string_view reduce) {
  TERN_CHECK(reduce == "add" || reduce == "multiply", Error,
             "reduce argument must be either add or multiply, got ", reduce);
  return reduce == "add" ? "sum" : "prod";
}

// Does the kernel's check of a number for all elements of the index.
Tensor number_source(const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Scalar& value) {
  check_number_scatter(self, dim, detail::as_long(index));
  return scattered_number(self, value).expand(index.sizes());
}

}  // namespace

namespace detail {

void check_scatter_arguments(const char* name, const Tensor& self, std::int64_t dim,
                             const Tensor& index, const Tensor& source) {
  check_scatter(name, self, dim, index, source);
}
Tensor scattered_part(const Tensor& source, const Tensor& index) {
  return used_part(source, index);
}
void scatter_elements(const char* name, kernels::IndexOp op, const Tensor& out, std::int64_t dim,
                      const Tensor& index, const Tensor& source) {
  scatter_into(name, op, out, dim, index, source);
}

}  // namespace detail

Tensor gather(const Tensor& self, StrictInt dim, const Tensor& any_index, StrictBool) {
  TERN_OP("gather", self, dim, any_index);
  const Tensor index = detail::as_long(any_index);
  if (index.numel() != 0) detail::check_index("gather", "gather", self, index);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const Tensor from = detail::at_least_1d(self.detach()), indices = detail::at_least_1d(index);
  check_index_shape("gather", from, indices, d);
  Tensor out = detail::make_tensor(index.sizes(), self.dtype(), self.device());
  if (index.numel() != 0) {
    detail::run_index("gather", IndexOp::kGather, cut_to(from, indices, d).contiguous(), out,
                      indices.contiguous(), d, indices.sizes()[d], from.sizes()[d]);
  }
  if (!needs_grad(self)) return out;
  return record("GatherBackward0", out,
                wrt(
                    self,
                    [shape = self.self().sizes, dim](const Tensor& g, const Tensor& at) {
                      return g.new_zeros(shape).scatter_add(dim, at, g);
                    },
                    index));
}

Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("scatter", self, dim, index, source);
  return replaced(self, dim, index, source);
}
Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value) {
  TERN_OP("scatter", self, dim, index);
  return replaced(self, dim, index, value);
}
Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
               std::string_view reduce) {
  TERN_OP("scatter", self, dim, index, source);
  return scatter_reduce(self, dim, index, source, new_name(reduce));
}
Tensor scatter(const Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value,
               std::string_view reduce) {
  TERN_OP("scatter", self, dim, index);
  return scatter_reduce(self, dim, index, number_source(self, dim, index, value), new_name(reduce));
}

Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("scatter_", self, dim, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return detail::overwrite_into(
      self,
      [&](const Tensor& x, const Tensor& out) { return replaced(x, dim, index, source, out); },
      source);
}
Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value) {
  TERN_OP("scatter_", self, dim, index);
  detail::check_no_overlap(self, {&index});
  return detail::overwrite_into(self, [&](const Tensor& x, const Tensor& out) {
    return replaced(x, dim, index, value, out);
  });
}
Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                 std::string_view reduce) {
  TERN_OP("scatter_", self, dim, index, source);
  return scatter_reduce_(self, dim, index, source, new_name(reduce));
}
Tensor& scatter_(Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value,
                 std::string_view reduce) {
  TERN_OP("scatter_", self, dim, index);
  return scatter_reduce_(self, dim, index, number_source(self, dim, index, value),
                         new_name(reduce));
}

Tensor scatter_add(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("scatter_add", self, dim, index, source);
  TERN_AUTOCAST(kUnchanged, kWidest, scatter_add, self, dim, index, source);
  return added(self, dim, index, source);
}
Tensor& scatter_add_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("scatter_add_", self, dim, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return detail::overwrite_into(
      self, [&](const Tensor& x, const Tensor& out) { return added(x, dim, index, source, out); },
      source);
}

}  // namespace tern
