// Compiled for size.

#include <tern/core/ops/order/sort.h>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/sort.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/order/detail/sort.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/tensor/detail/shape.h>

// Sorting, and the largest elements.

namespace tern {
namespace {

// A contiguous tensor seen as [outer, size, inner], with the ordered dimension in the middle.
struct SortedBlocks {
  std::int64_t outer, size, inner;

  std::int64_t rows() const { return outer * inner; }
  // Rows whose elements lie apart read a cache line per element. On the CPU, a transposed copy of a
  // large tensor is cheaper.
  bool pays_to_transpose(const Tensor& in) const {
    constexpr std::int64_t kSmall = 4096;
    return inner > 1 && size > 1 && in.is_cpu() && in.numel() >= kSmall;
  }
  // Returns a contiguous [outer, inner, size] copy of the tensor with `in`'s memory.
  Tensor transposed(const Tensor& in) const {
    return of(in, size, inner).transpose(1, 2).contiguous();
  }
  // Returns the memory of a contiguous tensor as [outer, a, b].
  Tensor of(const Tensor& tensor, std::int64_t a, std::int64_t b) const {
    return detail::make_alias(tensor, {outer, a, b}, {a * b, b, 1}, tensor.storage_offset());
  }
};

template <class Args>
void set_blocks(Args& args, const SortedBlocks& blocks, bool transposed) {
  args.outer = transposed ? blocks.rows() : blocks.outer;
  args.size = blocks.size;
  args.inner = transposed ? 1 : blocks.inner;
}

}  // namespace

namespace detail {

std::tuple<Tensor, Tensor> run_sort(const char* name, const Tensor& self, std::int64_t dim,
                                    bool descending, bool wants_values, bool wants_indices) {
  Tensor in = self.detach();
  if (!is_dense(in.sizes(), in.strides())) in = in.contiguous();
  Tensor values, indices;
  if (wants_values) values = make_like(in, self.dtype(), self.device());
  if (wants_indices) indices = make_like(in, kLong, self.device());
  if (self.numel() == 0) return {values, indices};
  const std::int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  // In memory order, the stride of a dense dimension is the size of all that lies within it.
  const std::int64_t inner = size == 1 ? 1 : in.stride(dim);
  const SortedBlocks blocks{self.numel() / (size * inner), size, inner};
  const bool transposed = blocks.pays_to_transpose(in);
  const Tensor rows = transposed ? blocks.transposed(in) : in;
  const Tensor row_values = transposed && wants_values ? empty_like(rows) : values;
  const Tensor row_indices =
      transposed && wants_indices ? empty_like(rows, rows.options().dtype(kLong)) : indices;
  kernels::SortArgs args{};
  args.dtype = self.dtype();
  args.descending = descending ? 1 : 0;
  set_blocks(args, blocks, transposed);
  args.in = rows.data_ptr();
  args.values = wants_values ? row_values.data_ptr() : nullptr;
  args.indices = wants_indices ? row_indices.data_ptr<std::int64_t>() : nullptr;
  kernels::run(name, self.device(), self.dtype(), args);
  if (transposed && wants_values) {
    copy_elements(blocks.of(values, size, inner), row_values.transpose(1, 2));
  }
  if (transposed && wants_indices) {
    copy_elements(blocks.of(indices, size, inner), row_indices.transpose(1, 2));
  }
  return {values, indices};
}

std::tuple<Tensor, Tensor> run_order_statistic(const char* name, kernels::OrderStatistic op,
                                               const Tensor& self, std::int64_t dim, std::int64_t k,
                                               bool largest) {
  kernels::OrderStatisticsArgs args{};
  args.op = op;
  args.dtype = self.dtype();
  args.largest = largest ? 1 : 0;
  args.k = k;
  const std::int64_t count = selected_count(args);
  SortedBlocks blocks{1, 1, 1};
  DimVector sizes = self.self().sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto d = static_cast<std::int64_t>(i);
    (d < dim ? blocks.outer : d == dim ? blocks.size : blocks.inner) *= sizes[i];
    if (d == dim) sizes[i] = count;
  }
  Tensor values = make_tensor(sizes, self.dtype(), self.device());
  Tensor indices = make_tensor(sizes, kLong, self.device());
  if (values.numel() == 0) return {values, indices};
  Tensor in = self.detach().contiguous();
  const bool transposed = blocks.pays_to_transpose(in);
  if (transposed) in = blocks.transposed(in);
  set_blocks(args, blocks, transposed);
  args.in = in.data_ptr();
  args.values = values.data_ptr();
  args.indices = indices.data_ptr<std::int64_t>();
  kernels::run(name, self.device(), self.dtype(), args);
  if (!transposed || count == 1) return {values, indices};
  const auto in_order = [&](const Tensor& selected) {
    return blocks.of(selected, blocks.inner, count).transpose(1, 2).contiguous().view(sizes);
  };
  return {in_order(values), in_order(indices)};
}

Tensor put_along(const Tensor& g, IntArrayRef sizes, std::int64_t dim, const Tensor& indices,
                 bool keepdim) {
  if (sizes.empty()) return g;
  const auto ndim = static_cast<std::int64_t>(sizes.size());
  return g.new_zeros(sizes).scatter_add(dim, restore_dims(indices, dim, ndim, keepdim),
                                        restore_dims(g, dim, ndim, keepdim));
}

}  // namespace detail

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

std::tuple<Tensor, Tensor> sorted_along(const char* node, const Tensor& self, std::int64_t dim,
                                        bool descending) {
  const std::int64_t d = wrap_dim(dim, self.dim());
  auto [values, indices] = detail::run_sort("sort", self, d, descending, true, true);
  if (!needs_grad(self)) return {values, indices};
  Tensor recorded = record(node, values,
                           wrt(
                               self,
                               [sizes = self.self().sizes, d](const Tensor& g, const Tensor& at) {
                                 return detail::put_along(g, sizes, d, at, true);
                               },
                               indices));
  return {recorded, indices};
}

Tensor order_along(const Tensor& self, std::int64_t dim, bool descending) {
  const std::int64_t d = wrap_dim(dim, self.dim());
  return std::get<1>(detail::run_sort("argsort", self, d, descending, false, true));
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& self, StrictInt dim, StrictBool descending) {
  TERN_OP("sort", self);
  return sorted_along("SortBackward0", self, dim, descending);
}
std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<StrictBool> /*stable*/,
                                StrictInt dim, StrictBool descending) {
  TERN_OP("sort", self);
  return sorted_along("SortBackward1", self, dim, descending);
}

Tensor argsort(const Tensor& self, StrictInt dim, StrictBool descending) {
  TERN_OP("argsort", self);
  return order_along(self, dim, descending);
}
Tensor argsort(const Tensor& self, std::optional<StrictBool> /*stable*/, StrictInt dim,
               StrictBool descending) {
  TERN_OP("argsort", self);
  return order_along(self, dim, descending);
}

Tensor msort(const Tensor& self) {
  TERN_OP("msort", self);
  if (!needs_grad(self)) {
    return std::get<0>(detail::run_sort("msort", self, 0, false, true, false));
  }
  return std::get<0>(sorted_along("SortBackward0", self, 0, false));
}

std::tuple<Tensor, Tensor> topk(const Tensor& self, StrictInt k, StrictInt dim, StrictBool largest,
                                StrictBool /*sorted*/) {
  TERN_OP("topk", self);
  const std::int64_t d = wrap_dim(dim, self.dim());
  const std::int64_t size = self.dim() == 0 ? 1 : self.size(d);
  TERN_CHECK(k >= 0 && k <= size, Error, "selected index k out of range: k is ", std::int64_t{k},
             ", the dimension has size ", size);
  TERN_CHECK(self.dtype() != kBool, NotImplementedError, "topk does not support bool dtypes on ",
             self.device().type(), ", got ", self.scalar_type(), ": use to(kByte) first");
  const std::int64_t wanted = self.dim() == 0 ? 1 : std::int64_t{k};  // as PyTorch, also for k = 0
  auto [values, indices] =
      detail::run_order_statistic("topk", kernels::OrderStatistic::kTop, self, d, wanted, largest);
  if (!needs_grad(self)) return {values, indices};
  Tensor recorded = record("TopkBackward0", values,
                           wrt(
                               self,
                               [sizes = self.self().sizes, d](const Tensor& g, const Tensor& at) {
                                 return detail::put_along(g, sizes, d, at, true);
                               },
                               indices));
  return {recorded, indices};
}

}  // namespace tern
