// Compiled for size.

#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/order/detail/sort.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/tensor/detail/shape.h>

// kthvalue, median and mode.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::OrderStatistic;

void check_no_bool(const char* kernel, const Tensor& self) {
  TERN_CHECK(self.dtype() != kBool, NotImplementedError, '"', kernel, "\" not implemented for '",
             self.scalar_type(), '\'');
}

// Selects one element along `dim`, which gets the gradient.
std::tuple<Tensor, Tensor> one_along(const char* name, const char* node, OrderStatistic op,
                                     const Tensor& self, std::int64_t dim, bool keepdim,
                                     std::int64_t rank = 0) {
  const std::int64_t d = wrap_dim(dim, self.dim());
  TERN_CHECK(self.dim() == 0 || self.size(d) != 0, IndexError, name, "(): Expected reduction dim ",
             d, " to have non-zero size. Got sizes ", self.sizes());
  auto [values, indices] = detail::run_order_statistic(name, op, self, d, rank);
  if (!keepdim && self.dim() > 0) {
    DimVector sizes = self.self().sizes;
    sizes.erase(static_cast<std::size_t>(d));
    values = detail::with_sizes(values, sizes);
    indices = detail::with_sizes(indices, sizes);
  }
  if (!needs_grad(self)) return {values, indices};
  Tensor recorded =
      record(node, values,
             wrt(
                 self,
                 [sizes = self.self().sizes, d, keepdim](const Tensor& g, const Tensor& at) {
                   return detail::put_along(g, sizes, d, at, keepdim);
                 },
                 indices));
  return {recorded, indices};
}

// The median of no elements: NaN, or the smallest number of an integral dtype.
Tensor median_of_none(const Tensor& self) {
  return visit_dtype(self.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_floating_point(dtype_of<T>())) {
      return self.detach().new_full({}, std::numeric_limits<double>::quiet_NaN());
    } else {
      return self.new_full({}, static_cast<std::int64_t>(std::numeric_limits<T>::lowest()));
    }
  });
}

Tensor median_of_all(const char* name, const char* node, OrderStatistic op, const Tensor& self) {
  check_no_bool("median_cpu", self);
  Tensor out =
      self.numel() == 0
          ? median_of_none(self)
          : detail::with_sizes(
                std::get<0>(detail::run_order_statistic(name, op, self.detach().reshape({-1}), 0)),
                {});
  if (!needs_grad(self)) return out;
  return record(node, out,
                wrt(
                    self,
                    [](const Tensor& g, const Tensor& x, const Tensor& y) {
                      return detail::share_among_equals(g, x, y, {});
                    },
                    self, out));
}

}  // namespace

std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, StrictInt k, StrictInt dim,
                                    StrictBool keepdim) {
  TERN_OP("kthvalue", self);
  const std::int64_t d = wrap_dim(dim, self.dim());
  const std::int64_t size = self.dim() == 0 ? 1 : self.size(d);
  if (self.dim() > 0 && size > 0) check_no_bool("kthvalue_cpu", self);
  TERN_CHECK(size == 0 || (k >= 1 && k <= size), Error,
             "kthvalue(): selected number k out of range ", "for dimension ", d, ": k is ",
             std::int64_t{k}, ", the dimension has size ", size);
  return one_along("kthvalue", "KthvalueBackward0", OrderStatistic::kRank, self, d, keepdim, k - 1);
}

Tensor median(const Tensor& self) {
  TERN_OP("median", self);
  return median_of_all("median", "MedianBackward0", OrderStatistic::kMedian, self);
}
std::tuple<Tensor, Tensor> median(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("median", self);
  check_no_bool("median_out", self);
  return one_along("median", "MedianBackward1", OrderStatistic::kMedian, self, dim, keepdim);
}

Tensor nanmedian(const Tensor& self) {
  TERN_OP("nanmedian", self);
  return median_of_all("nanmedian", "NanmedianBackward0", OrderStatistic::kNanMedian, self);
}
std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("nanmedian", self);
  check_no_bool("median_out", self);
  return one_along("nanmedian", "NanmedianBackward1", OrderStatistic::kNanMedian, self, dim,
                   keepdim);
}

std::tuple<Tensor, Tensor> mode(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("mode", self);
  return one_along("mode", "ModeBackward0", OrderStatistic::kMode, self, dim, keepdim);
}

}  // namespace tern
