#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::IndexOp;

// Runs the kernel on contiguous tensors; it writes to `out` or adds to it.
void run_index(const char* name, IndexOp op, const Tensor& in, const Tensor& out,
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
  kernels::run(name, in.device(), in.dtype(), args);
}

void check_index(const char* name, const char* method, const Tensor& self, const Tensor& index) {
  TERN_CHECK(index.dtype() == kLong, DTypeError, name, "(): Expected dtype int64 for index, got ",
             index.dtype());
  detail::check_same_device(method, {&self, &index}, {"self", "index"});
}

std::int64_t length(const Tensor& tensor, std::size_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.sizes()[dim];
}

// A 0-d tensor has only one element to select.
void check_count(const char* name, const Tensor& self, const Tensor& index) {
  TERN_CHECK(self.dim() > 0 || index.numel() == 1, IndexError, name,
             "(): Index to scalar can have only 1 value, got ", index.numel(), " value(s)");
}

// Does the kernel's check for results without elements, which never reach a kernel.
void check_indices(const Tensor& index, std::int64_t limit) {
  if (index.numel() == 0 || !index.is_cpu()) return;
  for (const std::int64_t value :
       {index.min().item<std::int64_t>(), index.max().item<std::int64_t>()}) {
    TERN_CHECK(value >= 0 && value < limit, IndexError, "index out of range in self: index ", value,
               " is out of bounds for dimension with size ", limit);
  }
}

// gather and scatter treat a 0-d tensor as a tensor with one element.
Tensor at_least_1d(const Tensor& tensor) {
  return tensor.dim() == 0 ? tensor.unsqueeze(0) : tensor;
}

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

}  // namespace

Tensor index_select(const Tensor& self, StrictInt dim, const Tensor& index) {
  TERN_OP("index_select", self, dim, index);
  check_index("index_select", "_index_select", self, index);
  TERN_CHECK(index.dim() <= 1, IndexError,
             "index_select(): Index is supposed to be a vector, got sizes ", index.sizes());
  check_count("index_select", self, index);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  DimVector sizes = self.self().sizes;
  if (!sizes.empty()) sizes[d] = index.numel();
  Tensor out = detail::make_tensor(sizes, self.dtype(), self.device());
  if (out.numel() == 0) check_indices(index, length(self, d));
  run_index("index_select", IndexOp::kSelect, self.detach().contiguous(), out, index.contiguous(),
            d, index.numel(), length(self, d));
  if (!needs_grad(self)) return out;
  return record("IndexSelectBackward0", out,
                wrt(
                    self,
                    [shape = self.self().sizes, dim](const Tensor& g, const Tensor& at) {
                      return g.new_zeros(shape).index_add(dim, at, g);
                    },
                    index));
}

Tensor index_add(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("index_add", self, dim, index, source);
  check_index("index_add", "index_add", self, index);
  detail::check_same_device("index_add", {&self, &source}, {"self", "source"});
  TERN_CHECK(self.dtype() == source.dtype(), DTypeError,
             "index_add(): self and source expected to have the same dtype, but got (self) ",
             self.dtype(), " and (source) ", source.dtype());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  DimVector sizes = self.self().sizes;
  if (!sizes.empty()) sizes[d] = index.numel();
  TERN_CHECK(index.dim() <= 1 && source.sizes() == IntArrayRef(sizes), ShapeError,
             "index_add(): expected source of sizes ", IntArrayRef(sizes), " for self ",
             self.sizes(), " and index ", index.sizes(), ", got ", source.sizes());
  check_count("index_add", self, index);
  Tensor out = detail::make_tensor(self.sizes(), self.dtype(), self.device());
  {
    const NoGradGuard no_grad;
    detail::copy_elements(out, self);
    run_index("index_add", IndexOp::kAdd, source.detach().contiguous(), out, index.contiguous(), d,
              index.numel(), length(self, d));
  }
  if (!needs_grad(self, source)) return out;
  return record(
      "IndexAddBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
      wrt(
          source, [dim](const Tensor& g, const Tensor& at) { return g.index_select(dim, at); },
          index));
}

Tensor gather(const Tensor& self, StrictInt dim, const Tensor& index) {
  TERN_OP("gather", self, dim, index);
  if (index.numel() != 0) check_index("gather", "gather", self, index);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const Tensor from = at_least_1d(self.detach()), indices = at_least_1d(index);
  check_index_shape("gather", from, indices, d);
  Tensor out = detail::make_tensor(index.sizes(), self.dtype(), self.device());
  if (index.numel() != 0) {
    run_index("gather", IndexOp::kGather, cut_to(from, indices, d).contiguous(), out,
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

Tensor scatter_add(const Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source) {
  TERN_OP("scatter_add", self, dim, index, source);
  if (index.numel() != 0) check_index("scatter_add", "scatter_add", self, index);
  detail::check_same_device("scatter_add", {&self, &source}, {"self", "src"});
  TERN_CHECK(self.dtype() == source.dtype(), DTypeError,
             "scatter(): Expected self.dtype to be equal to src.dtype, got ", self.dtype(), " and ",
             source.dtype());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  Tensor out = detail::make_tensor(self.sizes(), self.dtype(), self.device());
  {
    const NoGradGuard no_grad;
    const Tensor from = at_least_1d(source), indices = at_least_1d(index), whole = at_least_1d(out);
    check_index_shape("scatter_add", whole, indices, d);
    check_index_shape("scatter_add", from, indices, from.sizes().size());
    detail::copy_elements(out, self);
    if (index.numel() != 0) {
      Tensor used = cut_to(from, indices, from.sizes().size()).contiguous();
      // The kernel needs equal shapes on both sides, so a smaller index works on a dense part.
      const Tensor part = cut_to(whole, indices, d);
      const Tensor target = part.contiguous();
      run_index("scatter_add", IndexOp::kScatterAdd, used, target, indices.contiguous(), d,
                indices.sizes()[d], part.sizes()[d]);
      if (!target.is_alias_of(out)) detail::copy_elements(part, target);
    }
  }
  if (!needs_grad(self, source)) return out;
  return record("ScatterAddBackward0", out, wrt(self, [](const Tensor& g) { return g; }),
                wrt(
                    source,
                    [shape = source.self().sizes, dim](const Tensor& g, const Tensor& at) {
                      Tensor taken = g.gather(dim, at);
                      if (taken.sizes() == IntArrayRef(shape)) return taken;
                      Tensor whole = g.new_zeros(shape);
                      if (at.numel() != 0) {
                        const Tensor used = at_least_1d(at);
                        cut_to(at_least_1d(whole), used, used.sizes().size()).copy_(taken);
                      }
                      return whole;
                    },
                    index));
}

}  // namespace tern
