#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Ops with one index per slice of a dimension.

namespace tern {
namespace detail {

void run_index(const char* name, kernels::IndexOp op, const Tensor& in, const Tensor& out,
               const Tensor& index, std::size_t dim, std::int64_t count, std::int64_t limit) {
  kernels::IndexArgs args;
  args.op = op;
  args.dtype = in.dtype();
  args.outer = args.inner = 1;
  for (std::size_t d = 0; d < out.sizes().size(); ++d) {
    if (d < dim) args.outer *= out.sizes()[d];
    if (d > dim) args.inner *= out.sizes()[d];
  }
  if (args.outer == 0 || args.inner == 0 || count == 0) return;
  args.in_size = in.dim() == 0 ? 1 : in.sizes()[dim];
  args.out_size = out.dim() == 0 ? 1 : out.sizes()[dim];
  args.count = count;
  args.limit = limit;
  args.in = in.data_ptr();
  args.index = index.data_ptr<std::int64_t>();
  args.out = out.data_ptr();
  args.in_order = are_deterministic_algorithms_enabled() ? 1 : 0;
  kernels::run(name, in.device(), in.dtype(), args);
}

void check_index(const char* name, const char* method, const Tensor& self, const Tensor& index) {
  TERN_CHECK(index.dtype() == kLong, DTypeError, name, "(): Expected dtype int64 for index, got ",
             index.scalar_type());
  check_same_device(method, {&self, &index}, {"self", "index"});
}

Tensor as_long(const Tensor& index) { return index.dtype() == kInt ? index.to(kLong) : index; }

void check_index_range(const Tensor& index, std::int64_t limit) {
  if (index.numel() == 0 || !index.is_cpu()) return;
  for (const std::int64_t value :
       {index.min().item<std::int64_t>(), index.max().item<std::int64_t>()}) {
    TERN_CHECK(value >= 0 && value < limit, IndexError, "index out of range in self: index ", value,
               " is out of bounds for dimension with size ", limit);
  }
}

std::int64_t indexed_size(const Tensor& tensor, std::size_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.sizes()[dim];
}

void check_index_count(const char* name, const Tensor& self, const Tensor& index) {
  TERN_CHECK(self.dim() > 0 || index.numel() == 1, IndexError, name,
             "(): Index to scalar can have only 1 value, got ", index.numel(), " value(s)");
}

Tensor at_least_1d(const Tensor& tensor) {
  return tensor.dim() == 0 ? tensor.unsqueeze(0) : tensor;
}

Tensor detached_copy(const Tensor& self, bool keeps_order) {
  if (keeps_order) return self.detach().clone();
  Tensor out = make_tensor(self.sizes(), self.dtype(), self.device());
  copy_elements(out, self);
  return out;
}

Tensor into_or_copy(const Tensor& into, const Tensor& self, bool keeps_order) {
  return into.defined() ? into : detached_copy(self, keeps_order);
}

namespace {

// Returns true if the elements of two tensors lie in one memory and fill parts of it that meet.
bool overlap(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) return true;
  if (!a.is_alias_of(b) || a.numel() == 0 || b.numel() == 0) return false;
  if (!is_dense(a.sizes(), a.strides()) || !is_dense(b.sizes(), b.strides())) return false;
  const auto* const start = static_cast<const std::byte*>(a.data_ptr());
  const auto* const other = static_cast<const std::byte*>(b.data_ptr());
  return start < other + b.nbytes() && other < start + a.nbytes();
}

}  // namespace

void check_no_overlap(const Tensor& self, std::initializer_list<const Tensor*> others) {
  for (const Tensor* other : others) {
    TERN_CHECK(!overlap(self, *other), Error,
               "unsupported operation: some elements of the input tensor and the written-to tensor "
               "refer to a single memory location. Please clone() the tensor before performing the "
               "operation.");
  }
}

void check_has_gradient(const Tensor& self, const Tensor& source) {
  TERN_CHECK(self.is_floating_point() || !autograd::needs_grad(source), DTypeError,
             "Autograd not support dtype: ", self.scalar_type(), ", got a source of ",
             source.scalar_type(), " that requires grad");
}

Tensor apart_from(const Tensor& out, const Tensor& index) {
  return index.is_alias_of(out) ? detached_copy(index) : index;
}

}  // namespace detail

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::IndexOp;

// Checks the arguments of an op that combines slices of `source` with those that `index` names.
std::size_t check_source(const char* name, const Tensor& self, std::int64_t dim,
                         const Tensor& index, const Tensor& source) {
  detail::check_index(name, name, self, index);
  detail::check_same_device(name, {&self, &source}, {"self", "source"});
  TERN_CHECK(self.dtype() == source.dtype(), DTypeError, name,
             "(): self and source expected to have the same dtype, but got (self) ",
             self.scalar_type(), " and (source) ", source.scalar_type());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  DimVector sizes = self.self().sizes;
  if (!sizes.empty()) sizes[d] = index.numel();
  TERN_CHECK(index.dim() <= 1 && source.sizes() == IntArrayRef(sizes), ShapeError, name,
             "(): expected source of sizes ", IntArrayRef(sizes), " for self ", self.sizes(),
             " and index ", index.sizes(), ", got ", source.sizes());
  detail::check_index_count(name, self, index);
  return d;
}

// Returns the named slices of dimension `dim` as an index of several dimensions.
detail::AdvancedIndex slices(const char* name, IndexOp op, const Tensor& self, std::size_t dim,
                             const Tensor& index) {
  detail::AdvancedIndex result{name, op, {{dim, std::size_t{self.dim() == 0 ? 0U : 1U}}}, {}};
  result.at = index.detach().contiguous().view({1, index.numel()});
  result.position = dim;
  return result;
}

void add_slices(const Tensor& out, std::int64_t dim, const Tensor& index, const Tensor& source,
                const Scalar& alpha) {
  const std::size_t d = check_source("index_add", out, dim, index, source);
  const NoGradGuard no_grad;
  Tensor terms = detail::apart_from(out, source.detach());
  if (alpha.toDouble() != 1) {
    detail::check_fits(alpha, out.dtype());
    terms = (terms * alpha).to(out.dtype());
  }
  const Tensor used = detail::apart_from(out, index.contiguous());
  detail::write_contiguous(out.detach(), [&](const Tensor& target) {
    detail::run_index("index_add", IndexOp::kAdd, terms.contiguous(), target, used, d,
                      index.numel(), detail::indexed_size(out, d));
  });
}

Tensor add_slices_to(const Tensor& self, std::int64_t dim, const Tensor& any_index,
                     const Tensor& source, const Scalar& alpha, const Tensor& into) {
  const Tensor index = detail::as_long(any_index);
  Tensor out = detail::into_or_copy(into, self);
  add_slices(out, dim, index, source, alpha);
  if (!needs_grad(self, source)) return out;
  return record("IndexAddBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(
                    source,
                    [dim, alpha](const Tensor& g, const Tensor& at) {
                      const Tensor slices = g.index_select(dim, at);
                      return alpha.toDouble() == 1 ? slices : slices * alpha;
                    },
                    index));
}

void copy_slices(const Tensor& out, std::int64_t dim, const Tensor& index, const Tensor& source) {
  const std::size_t d = check_source("index_copy", out, dim, index, source);
  detail::AdvancedIndex where = slices("index_copy", IndexOp::kIndexCopy, out, d, index);
  where.wraps = false;
  detail::put_advanced(out, where, source, /*accumulate=*/false);
}

Tensor copy_slices_to(const Tensor& self, std::int64_t dim, const Tensor& index,
                      const Tensor& source, const Tensor& into) {
  Tensor out = detail::into_or_copy(into, self);
  copy_slices(out, dim, index, source);
  if (!needs_grad(self, source)) return out;
  return record(
      "IndexCopyBackward0", out,
      wrt(
          self, [dim](const Tensor& g, const Tensor& at) { return g.index_fill(dim, at, 0); },
          index),
      wrt(
          source, [dim](const Tensor& g, const Tensor& at) { return g.index_select(dim, at); },
          index));
}

void fill_slices(const Tensor& out, std::int64_t dim, const Tensor& index, const Tensor& value) {
  detail::check_index("index_fill", "index_fill_", out, index);
  TERN_CHECK(index.dim() <= 1, IndexError,
             "index_fill(): Index is supposed to be a vector, got sizes ", index.sizes());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, out.dim()));
  detail::put_advanced(out, slices("index_fill", IndexOp::kIndexFill, out, d, index), value,
                       /*accumulate=*/false);
}

// A number takes the conversion of fill_().
Tensor as_element(const Tensor& self, const Scalar& value) {
  return detail::make_tensor({}, self.dtype(), self.device()).fill_(value);
}
Tensor as_element(const Tensor& self, const Tensor& value) {
  TERN_CHECK(value.dim() == 0, ShapeError,
             "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
             value.dim(), " dimension(s).");
  return detail::as_element_of(self, value);
}

template <class Value>
Tensor fill_slices_of(const Tensor& self, std::int64_t dim, const Tensor& index, const Value& value,
                      const Tensor& into) {
  Tensor out = detail::into_or_copy(into, self, /*keeps_order=*/true);
  fill_slices(out, dim, index, as_element(self, value));
  const auto self_rule = [dim](const Tensor& g, const Tensor& at) {
    return g.index_fill(dim, at, 0);
  };
  if constexpr (std::is_same_v<Value, Scalar>) {
    if (!needs_grad(self)) return out;
    return record("IndexFillBackward0", out, wrt(self, self_rule, index));
  } else {
    if (!needs_grad(self, value)) return out;
    return record("IndexFillBackward1", out, wrt(self, self_rule, index),
                  wrt(
                      value,
                      [dim](const Tensor& g, const Tensor& at) {  // equal indices count once
                        return where(zeros_like(g, kBool).index_fill(dim, at, true), g, 0).sum();
                      },
                      index));
  }
}

}  // namespace

Tensor index_select(const Tensor& self, StrictInt dim, const Tensor& any_index) {
  TERN_OP("index_select", self, dim, any_index);
  const Tensor index = detail::as_long(any_index);
  detail::check_index("index_select", "_index_select", self, index);
  TERN_CHECK(index.dim() <= 1, IndexError,
             "index_select(): Index is supposed to be a vector, got sizes ", index.sizes());
  detail::check_index_count("index_select", self, index);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  DimVector sizes = self.self().sizes;
  if (!sizes.empty()) sizes[d] = index.numel();
  Tensor out = detail::make_tensor(sizes, self.dtype(), self.device());
  if (out.numel() == 0) detail::check_index_range(index, detail::indexed_size(self, d));
  detail::run_index("index_select", IndexOp::kSelect, self.detach().contiguous(), out,
                    index.contiguous(), d, index.numel(), detail::indexed_size(self, d));
  if (!needs_grad(self)) return out;
  return record("IndexSelectBackward0", out,
                wrt(
                    self,
                    [shape = self.self().sizes, dim](const Tensor& g, const Tensor& at) {
                      return g.new_zeros(shape).index_add(dim, at, g);
                    },
                    index));
}

Tensor index_add(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  TERN_OP("index_add", self, dim, index, source);
  return add_slices_to(self, dim, index, source, alpha, {});
}

Tensor& index_add_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha) {
  TERN_OP("index_add_", self, dim, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return detail::overwrite_into(
      self,
      [&](const Tensor& x, const Tensor& out) {
        return add_slices_to(x, dim, index, source, alpha, out);
      },
      source);
}

Tensor index_copy(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("index_copy", self, dim, index, source);
  TERN_AUTOCAST(kWidest, kUnchanged, index_copy, self, dim, index, source);
  return copy_slices_to(self, dim, index, source, {});
}

Tensor& index_copy_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("index_copy_", self, dim, index, source);
  detail::check_no_overlap(self, {&index, &source});
  return detail::overwrite_into(
      self,
      [&](const Tensor& x, const Tensor& out) {
        return copy_slices_to(x, dim, index, source, out);
      },
      source);
}

Tensor index_fill(const Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value) {
  TERN_OP("index_fill", self, dim, index);
  return fill_slices_of(self, dim, index, value, {});
}

Tensor index_fill(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& value) {
  TERN_OP("index_fill", self, dim, index, value);
  detail::check_has_gradient(self, value);
  return fill_slices_of(self, dim, index, value, {});
}

Tensor& index_fill_(Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value) {
  TERN_OP("index_fill_", self, dim, index);
  detail::check_no_overlap(self, {&index});
  return detail::overwrite_into(self, [&](const Tensor& x, const Tensor& out) {
    return fill_slices_of(x, dim, index, value, out);
  });
}

Tensor& index_fill_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& value) {
  TERN_OP("index_fill_", self, dim, index, value);
  detail::check_no_overlap(self, {&index});
  return detail::overwrite_into(
      self,
      [&](const Tensor& x, const Tensor& out) { return fill_slices_of(x, dim, index, value, out); },
      value);
}

}  // namespace tern
