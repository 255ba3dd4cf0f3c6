// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/sort.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/order/detail/sort.h>
#include <tern/core/tensor/detail/shape.h>

// Unique elements: sort, mark the first one of equal neighbours, and count the marks.

namespace tern {
namespace {

using autograd::needs_grad;

using Results = std::tuple<Tensor, Tensor, Tensor>;

Tensor no_indices(const Tensor& self) { return zeros({0}, self.options().dtype(kLong)); }

// PyTorch has nodes without a rule here, so that the results require grad.
Tensor without_rule(const char* node, const char* op, const Tensor& self, const Tensor& out) {
  if (!needs_grad(self)) return out;
  return autograd::record(node, out, autograd::wrt(self, [op](const Tensor&) -> Tensor {
                            TERN_CHECK(false, NotImplementedError, "the derivative for '", op,
                                       "' is not implemented.");
                            return {};
                          }));
}

// Returns the results for the slices of dimension 0 of `in_order`, whose equals are neighbours.
// `order` names where each one was; undefined if it was there.
Results unique_slices(const Tensor& in_order, const Tensor& order, bool return_inverse,
                      bool return_counts) {
  const std::int64_t n = in_order.size(0);
  Tensor differs = in_order.slice(0, 1, n) != in_order.slice(0, 0, n - 1);
  if (differs.dim() > 1) differs = differs.reshape({n - 1, in_order.numel() / n}).any(1);
  const auto options = in_order.options().dtype(kLong);
  const Tensor first = zeros({1}, options);
  const Tensor starts = cat({first, differs.nonzero().select(1, 0) + 1});
  Tensor inverse = no_indices(in_order);
  if (return_inverse) {
    const Tensor group = cat({first, differs.cumsum(0)});
    inverse = order.defined() ? zeros({n}, options).scatter_(0, order, group) : group;
  }
  return {in_order.index_select(0, starts), inverse,
          return_counts ? starts.diff(1, 0, {}, full({1}, n, options)) : no_indices(in_order)};
}

Results unique_of_none(const Tensor& self) {
  return {zeros({0}, self.detach().options().requires_grad(false)), no_indices(self),
          no_indices(self)};
}

// Returns self with dimension `dim` first, or throws what PyTorch throws for empty tensors.
Tensor slices_of(const Tensor& self, std::int64_t dim) {
  std::int64_t empty_dims = 0;
  for (const std::int64_t size : self.sizes()) empty_dims += size == 0 ? 1 : 0;
  TERN_CHECK(self.size(dim) != 0 || empty_dims == 1, ShapeError,
             "Number of zero sized dimensions is more than one, so unique cannot be applied, got ",
             "sizes ", self.sizes());
  TERN_CHECK(self.size(dim) == 0 || empty_dims == 0, ShapeError, "There are 0 sized dimensions, ",
             "and they aren't selected, so unique cannot be applied, got sizes ", self.sizes());
  return self.detach().movedim(dim, 0).contiguous();
}

Results unique_along(const Tensor& self, std::int64_t dim, bool return_inverse, bool return_counts,
                     bool sorts) {
  const std::int64_t d = wrap_dim(dim, self.dim());
  const Tensor slices = slices_of(self, d);
  if (slices.numel() == 0) {
    return {detail::detached_copy(slices.movedim(0, d)), no_indices(self), no_indices(self)};
  }
  Tensor order;
  if (sorts) {
    kernels::OrderRowsArgs args{};
    args.dtype = self.dtype();
    args.rows = slices.size(0);
    args.columns = slices.numel() / args.rows;
    order = detail::make_tensor({args.rows}, kLong, self.device());
    args.in = slices.data_ptr();
    args.order = order.data_ptr<std::int64_t>();
    kernels::run("unique_dim", self.device(), self.dtype(), args);
  }
  auto [values, inverse, counts] =
      unique_slices(order.defined() ? slices.index_select(0, order) : slices, order, return_inverse,
                    return_counts);
  const Tensor moved = values.movedim(0, d);
  return {detail::make_alias(moved, moved.sizes(), moved.strides(), 0), inverse, counts};
}

}  // namespace

Results unique(const Tensor& self, StrictBool /*sorted*/, StrictBool return_inverse,
               StrictBool return_counts) {
  TERN_OP("unique", self);
  Results results;
  auto& [values, inverse, counts] = results;
  if (self.numel() == 0) {
    results = unique_of_none(self);
  } else {
    auto [in_order, order] =
        detail::run_sort("unique", self.detach().reshape({-1}), 0, false, true, return_inverse);
    results = unique_slices(in_order, order, return_inverse, return_counts);
  }
  if (return_inverse) inverse = detail::with_sizes(inverse, self.sizes());
  values = without_rule("Unique2Backward0", "aten::_unique2", self, values);
  return results;
}

Results unique_dim(const Tensor& input, StrictInt dim, StrictBool /*sorted*/,
                   StrictBool return_inverse, StrictBool return_counts) {
  TERN_OP("unique_dim", input);
  Results results = unique_along(input, dim, return_inverse, return_counts, true);
  auto& values = std::get<0>(results);
  values = without_rule("UniqueDimBackward0", "aten::unique_dim", input, values);
  return results;
}

Results unique_consecutive(const Tensor& self, StrictBool return_inverse, StrictBool return_counts,
                           std::optional<StrictInt> dim) {
  TERN_OP("unique_consecutive", self);
  Results results;
  auto& [values, inverse, counts] = results;
  if (dim) {
    results = unique_along(self, *dim, return_inverse, return_counts, false);
  } else {
    results = self.numel() == 0
                  ? unique_of_none(self)
                  : unique_slices(self.detach().reshape({-1}), {}, return_inverse, return_counts);
    if (return_inverse) inverse = detail::with_sizes(inverse, self.sizes());
  }
  values = without_rule("UniqueConsecutiveBackward0", "aten::unique_consecutive", self, values);
  return results;
}

}  // namespace tern
