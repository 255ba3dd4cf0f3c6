// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/mask.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/index/detail/mask.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace detail {
namespace {

using kernels::MaskArgs;
using kernels::MaskOp;

void run_mask(const char* name, MaskArgs& args, const CountedMask& mask, const void* in, void* out,
              ScalarType dtype) {
  args.dtype = dtype;
  args.size = mask.mask.numel();
  args.total = mask.total;
  if (args.size == 0) return;
  args.mask = mask.mask.data_ptr<bool>();
  if (args.op != MaskOp::kCount) {
    if (mask.total == 0) return;
    args.ends = mask.ends.data_ptr<std::int64_t>();
  }
  args.in = in;
  args.out = out;
  kernels::run(name, mask.mask.device(), dtype, args);
}

MaskArgs mask_args(MaskOp op) {
  MaskArgs args{};
  args.op = op;
  return args;
}

// Returns a column per true element: [columns, total].
Tensor mask_indices(const char* name, const CountedMask& mask, IntArrayRef sizes) {
  const auto columns = static_cast<std::int64_t>(sizes.size());
  Tensor out = make_tensor({columns, mask.total}, kLong, mask.mask.device());
  if (out.numel() == 0) return out;
  MaskArgs args = mask_args(MaskOp::kIndices);
  args.ndim = static_cast<std::int32_t>(columns);
  std::copy(sizes.begin(), sizes.end(), args.sizes);
  args.row_stride = 1;
  args.column_stride = mask.total;
  run_mask(name, args, mask, nullptr, out.data_ptr(), kLong);
  return out;
}

CountedMask count_nonzero_elements(const char* name, const Tensor& self) {
  const NoGradGuard no_grad;
  const Tensor x = self.detach();
  return count_mask(name, x.dtype() == kBool ? x : x != 0);
}

}  // namespace

CountedMask count_mask(const char* name, const Tensor& mask) {
  TERN_CHECK(!mask.is_meta(), Error, "the number of true elements of a meta tensor is unknown");
  const NoGradGuard no_grad;
  CountedMask counted{mask.detach().contiguous(), {}, 0};
  const std::int64_t blocks = kernels::mask_blocks(mask.numel());
  if (blocks == 0) return counted;
  counted.ends = make_tensor({blocks}, kLong, mask.device());
  MaskArgs args = mask_args(MaskOp::kCount);
  args.counts = counted.ends.data_ptr<std::int64_t>();
  run_mask(name, args, counted, nullptr, nullptr, kBool);
  if (blocks > 1) counted.ends = counted.ends.cumsum(0);
  counted.total = mask.is_cpu() ? counted.ends.data_ptr<std::int64_t>()[blocks - 1]
                                : counted.ends[blocks - 1].item<std::int64_t>();
  return counted;
}

Tensor mask_positions(const char* name, const CountedMask& mask) {
  return mask_indices(name, mask, {mask.mask.numel()});
}

Tensor select_masked(const char* name, const Tensor& self, const CountedMask& mask) {
  const NoGradGuard no_grad;
  Tensor out = make_tensor({mask.total}, self.dtype(), self.device());
  const Tensor from = self.detach().contiguous();
  MaskArgs args = mask_args(MaskOp::kSelect);
  run_mask(name, args, mask, from.data_ptr(), out.data_ptr(), self.dtype());
  return out;
}

void scatter_masked(const char* name, const Tensor& out, const CountedMask& mask,
                    const Tensor& source) {
  const NoGradGuard no_grad;
  CountedMask used = mask;
  used.mask = apart_from(out, mask.mask);
  const Tensor from = apart_from(out, source.detach()).contiguous();
  write_contiguous(out.detach(), [&](const Tensor& target) {
    MaskArgs args = mask_args(MaskOp::kScatter);
    run_mask(name, args, used, from.data_ptr(), target.data_ptr(), out.dtype());
  });
}

}  // namespace detail

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

void check_masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  TERN_CHECK(self.dtype() == source.dtype(), DTypeError,
             "masked_scatter: expected self and source to have same dtypes but got ",
             self.scalar_type(), " and ", source.scalar_type());
  TERN_CHECK(mask.dtype() == kBool, DTypeError,
             "masked_scatter_ only supports boolean masks, but got mask with dtype ",
             mask.scalar_type());
  detail::check_same_device("masked_scatter", {&self, &mask, &source}, {"self", "mask", "source"});
}

void masked_scatter_into(const Tensor& out, const Tensor& mask, const Tensor& source) {
  check_masked_scatter(out, mask, source);
  if (out.is_meta()) return;
  const detail::CountedMask counted =
      detail::count_mask("masked_scatter", mask.detach().expand(out.sizes()));
  TERN_CHECK(source.numel() >= counted.total, Error,
             "Number of elements of source < number of ones in mask: ", source.numel(), " and ",
             counted.total);
  detail::scatter_masked("masked_scatter", out, counted, source);
}

// Returns the gradient of the source: the masked elements of g, then zeros.
Tensor source_gradient(const Tensor& g, const Tensor& mask, const DimVector& sizes) {
  const Tensor taken = g.masked_select(mask);
  const std::int64_t count = checked_numel(sizes);
  if (taken.numel() == count) return taken.reshape(sizes);
  return cat({taken, g.new_zeros({count - taken.numel()})}).reshape(sizes);
}

Tensor masked_scattered(const Tensor& self, const Tensor& mask, const Tensor& source,
                        const Tensor& into = {}) {
  check_masked_scatter(self, mask, source);
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  Tensor out = detail::into_or_copy(into, self.detach().expand(sizes));
  masked_scatter_into(out, mask, source);
  if (!needs_grad(self, source)) return out;
  return record(
      "MaskedScatterBackward0", out,
      wrt(
          self, [](const Tensor& g, const Tensor& used) { return g.masked_fill(used, 0); }, mask),
      wrt(
          source,
          [shape = source.self().sizes](const Tensor& g, const Tensor& used) {
            return source_gradient(g, used, shape);
          },
          mask));
}

}  // namespace

Tensor nonzero(const Tensor& self) {
  TERN_OP("nonzero", self);
  const Tensor columns = detail::mask_indices(
      "nonzero", detail::count_nonzero_elements("nonzero", self), self.sizes());
  return detail::make_alias(columns, {columns.size(1), columns.size(0)}, {1, columns.size(1)}, 0);
}

namespace {

// The first `size` indices of elements that are not zero, one column per dimension, without asking
// the device how many there are.
Tensor static_indices(const Tensor& self, std::int64_t size, std::int64_t fill) {
  const TensorOptions options = TensorOptions(kLong).device(self.device());
  const Tensor mask = self.reshape({-1}).ne(0), ends = mask.cumsum(0);
  // Row `size` takes the elements that have no row of their own.
  const Tensor row = where(mask.logical_and(ends.le(size)), ends - 1, size);
  const Tensor element =
      zeros({size + 1}, options).scatter(0, row, arange(self.numel(), options)).narrow(0, 0, size);
  const Tensor exists = arange(size, options).lt(mask.sum());
  Tensor out = empty({size, self.dim()}, options);
  std::int64_t stride = self.numel();
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    stride /= self.size(d);
    const Tensor index = element.floor_divide(stride).remainder(self.size(d));
    out.select(1, d).copy_(where(exists, index, fill));
  }
  return out;
}

}  // namespace

Tensor nonzero_static(const Tensor& self, StrictInt size, StrictInt fill_value) {
  TERN_OP("nonzero_static", self);
  TERN_CHECK(size >= 0, ShapeError, "'size' must be an non-negative integer, got ", size);
  const NoGradGuard no_grad;
  if (self.is_cuda() && self.numel() != 0) return static_indices(self.detach(), size, fill_value);
  Tensor out = full({size, self.dim()}, Scalar(std::int64_t{fill_value}),
                    TensorOptions(kLong).device(self.device()));
  if (self.is_meta()) return out;
  const Tensor rows = nonzero(self);
  const std::int64_t count = std::min<std::int64_t>(size, rows.size(0));
  detail::copy_elements(out.narrow(0, 0, count), rows.narrow(0, 0, count));
  return out;
}

Tensor argwhere(const Tensor& self) {
  TERN_OP("argwhere", self);
  return nonzero(self);
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  TERN_OP("nonzero_numpy", self);
  const detail::CountedMask counted = detail::count_nonzero_elements("nonzero_numpy", self);
  const DimVector sizes = self.dim() == 0 ? DimVector{1} : DimVector(self.sizes());
  return detail::mask_indices("nonzero_numpy", counted, sizes).unbind(0);
}

std::vector<Tensor> where(const Tensor& condition) {
  TERN_OP("where", condition);
  return nonzero_numpy(condition);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  TERN_OP("masked_select", self, mask);
  TERN_CHECK(mask.dtype() == kBool, DTypeError, "masked_select: expected BoolTensor for mask, got ",
             mask.scalar_type());
  detail::check_same_device("masked_select", {&self, &mask}, {"self", "mask"});
  const DimVector sizes = broadcast_sizes(self.sizes(), mask.sizes());
  const detail::CountedMask counted =
      detail::count_mask("masked_select", mask.detach().expand(sizes));
  Tensor out = detail::select_masked("masked_select", self.detach().expand(sizes), counted);
  if (!needs_grad(self)) return out;
  return record("MaskedSelectBackward0", out,
                wrt(
                    self,
                    [sizes](const Tensor& g, const Tensor& used) {
                      return g.new_zeros(sizes).masked_scatter(used, g);
                    },
                    mask));
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  TERN_OP("masked_scatter", self, mask, source);
  return masked_scattered(self, mask, source);
}

Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
  TERN_OP("masked_scatter_", self, mask, source);
  check_masked_scatter(self, mask, source);
  TERN_CHECK(is_expandable_to(mask.sizes(), self.sizes()), ShapeError, "the mask of sizes ",
             mask.sizes(), " does not broadcast to the sizes ", self.sizes());
  return detail::overwrite_into(
      self,
      [&](const Tensor& x, const Tensor& out) { return masked_scattered(x, mask, source, out); },
      source);
}

}  // namespace tern
