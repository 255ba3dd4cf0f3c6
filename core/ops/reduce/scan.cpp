// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/scan.h>
#include <tern/core/ops/common/detail/finite.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/reduce/detail/scan.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::ScanOp;

struct ScanCall {
  const char* name;
  ScanOp op;
  std::int64_t dim;
  bool reverse = false;
  bool shifted = false;  // of a recurrence
};

// Writes the scan of `self` to `out`, which is contiguous and may be `self`. No history.
void run_scan(const ScanCall& call, const Tensor& self, const Tensor& out,
              const Tensor& factors = {}, const Tensor& indices = {}) {
  const auto d = static_cast<std::size_t>(wrap_dim(call.dim, self.dim()));
  if (self.numel() == 0) return;
  if (self.dim() == 0 && self.dtype() == kBool && !indices.defined()) {
    return detail::copy_elements(out, self);  // its own sum, in a dtype without a kernel
  }
  const Tensor dense = self.detach().contiguous();
  const Tensor dense_factors = factors.defined() ? factors.detach().contiguous() : Tensor();
  kernels::ScanArgs args{};
  args.op = call.op;
  args.dtype = self.dtype();
  args.reverse = call.reverse;
  args.shifted = call.shifted;
  args.outer = args.size = args.inner = 1;
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    (i < d ? args.outer : i == d ? args.size : args.inner) *= self.sizes()[i];
  }
  args.in = dense.data_ptr();
  args.factors = dense_factors.defined() ? dense_factors.data_ptr() : nullptr;
  args.out = out.data_ptr();
  args.indices = indices.defined() ? indices.data_ptr<std::int64_t>() : nullptr;
  kernels::run(call.name, self.device(), self.dtype(), args);
}

Tensor new_like(const Tensor& self) {
  return detail::make_tensor(self.sizes(), self.dtype(), self.device());
}

Tensor scanned(const ScanCall& call, const Tensor& self, const Tensor& factors = {}) {
  Tensor out = new_like(self);
  run_scan(call, self, out, factors);
  return out;
}

Tensor running_sum(const Tensor& self, std::int64_t dim, bool reverse);

Tensor record_sum(const Tensor& self, const Tensor& out, std::int64_t dim, bool reverse) {
  if (!needs_grad(self)) return out;
  return record("CumsumBackward0", out, wrt(self, [dim, reverse](const Tensor& g) {
                  return running_sum(g, dim, !reverse);
                }));
}

// Returns the running sums from the first element, or with `reverse` from the last. The gradient of
// the input is the running sum of the result's gradient in the other direction.
Tensor running_sum(const Tensor& self, std::int64_t dim, bool reverse) {
  return record_sum(self, scanned({"cumsum", ScanOp::kSum, dim, reverse}, self), dim, reverse);
}

// Returns h with h[j] = b[j] + f * h[before j], where f is f[j], or f[before j] if `shifted`. The
// gradient of b is such a recurrence in the other direction, and so on in every order.
Tensor recurrence(const Tensor& b, const Tensor& f, std::int64_t dim, bool reverse, bool shifted) {
  if (b.dim() == 0) return b;
  Tensor out = scanned({"cumprod", ScanOp::kRecurrence, dim, reverse, shifted}, b, f);
  if (!needs_grad(b, f)) return out;
  const auto back = [=](const Tensor& g, const Tensor& factors) {
    return recurrence(g, factors, dim, !reverse, !shifted);
  };
  return record(
      "RecurrenceBackward0", out, wrt(b, back, f),
      wrt(
          f,
          [=](const Tensor& g, const Tensor& factors, const Tensor& h) {
            const std::int64_t n = h.size(dim);
            if (n == 0) return h;
            const std::int64_t of_back = reverse ? 0 : 1;
            const Tensor products =
                back(g, factors).narrow(dim, of_back, n - 1) * h.narrow(dim, 1 - of_back, n - 1);
            const Tensor edge = zeros_like(h.narrow(dim, 0, 1));
            return reverse == shifted ? cat({edge, products}, dim) : cat({products, edge}, dim);
          },
          f, out));
}

}  // namespace

namespace detail {

Tensor exclusive_products(const Tensor& products, std::int64_t dim, bool reverse) {
  if (products.dim() == 0) return ones_like(products);
  const std::int64_t n = products.size(dim);
  if (n == 0) return products;
  const Tensor edge = ones_like(products.narrow(dim, 0, 1));
  return reverse ? cat({products.narrow(dim, 1, n - 1), edge}, dim)
                 : cat({edge, products.narrow(dim, 0, n - 1)}, dim);
}

Tensor times_exclusive_products(const Tensor& factors, const Tensor& products, std::int64_t dim,
                                bool reverse) {
  if (needs_grad(factors, products)) return exclusive_products(products, dim, reverse) * factors;
  // At the edge the product is 1.
  const std::int64_t rest = products.size(dim) - 1, first = reverse ? 0 : 1;
  factors.narrow(dim, first, rest).mul_(products.narrow(dim, 1 - first, rest));
  return factors;
}

namespace {

// d y_i / d x_j is the product of the elements up to i without j. The products after j follow a
// recurrence without division, so zeros need no rule of their own.
Tensor plain_gradient(const Tensor& g, const Tensor& x, const Tensor& y, std::int64_t dim,
                      bool reverse) {
  Tensor after = recurrence(g, x, dim, !reverse, /*shifted=*/true);
  if (x.dim() == 0 || x.numel() == 0) return after;
  return times_exclusive_products(after, y, dim, reverse);
}

// Computes the gradient again where a product before or after an element has left the range of the
// dtype.
Tensor gradient_in_range(const Tensor& g, const Tensor& x, const Tensor& y, std::int64_t dim,
                         bool reverse) {
  Tensor grad = plain_gradient(g, x, y, dim, reverse);
  if (looks_finite(grad)) return grad;
  if (x.dtype() != kDouble) {
    const Tensor wide = x.to(kDouble);
    return gradient_in_range(g.to(kDouble), wide, running_product(wide, dim, reverse), dim, reverse)
        .to(grad.dtype());
  }
  if (!looks_finite(x)) return grad;
  const Tensor keeps = logical_or(isfinite(grad), x == 0);
  return where(keeps, grad, running_sum(g * y, dim, !reverse) / masked_fill(x, keeps, 1));
}

}  // namespace

Tensor running_product(const Tensor& self, std::int64_t dim, bool reverse) {
  Tensor out = scanned({"cumprod", ScanOp::kProd, dim, reverse}, self);
  if (!needs_grad(self)) return out;
  return record("CumprodBackward0", out,
                wrt(
                    self,
                    [dim, reverse](const Tensor& g, const Tensor& x, const Tensor& y) {
                      return gradient_in_range(g, x, y, dim, reverse);
                    },
                    self, out));
}

}  // namespace detail

namespace {

// d y_i / d x_j is e^(x_j - y_i). Sums g_i e^(y_j - y_i) over i >= j by a recurrence, whose factors
// are at most 1 because y does not fall.
Tensor running_log_sum(const Tensor& self, std::int64_t dim) {
  Tensor out = scanned({"logcumsumexp", ScanOp::kLogSumExp, dim}, self);
  if (!needs_grad(self)) return out;
  return record(
      "LogcumsumexpBackward0", out,
      wrt(
          self,
          [dim](const Tensor& g, const Tensor& x, const Tensor& y) {
            const std::int64_t n = x.dim() == 0 ? 1 : x.size(dim);
            if (n < 2) return g * exp(x - y);
            const Tensor here = y.narrow(dim, 0, n - 1), next = y.narrow(dim, 1, n - 1);
            // Infinities that do not change.
            const Tensor stays = logical_and(here == next, isinf(here));
            const Tensor falls = masked_fill(here - next, stays, 0);
            const Tensor factors = exp(cat({falls, zeros_like(y.narrow(dim, 0, 1))}, dim));
            return exp(x - y) * recurrence(g, factors, dim, /*reverse=*/true, false);
          },
          self, out));
}

std::tuple<Tensor, Tensor> running_extreme(const char* name, const char* node, ScanOp op,
                                           const Tensor& self, std::int64_t dim) {
  Tensor values = new_like(self);
  const Tensor indices = detail::make_tensor(self.sizes(), kLong, self.device());
  run_scan({name, op, dim}, self, values, {}, indices);
  if (!needs_grad(self)) return {values, indices};
  const Tensor recorded =
      record(node, values,
             wrt(
                 self,
                 [dim](const Tensor& g, const Tensor& at) {
                   return at.dim() == 0 ? g : zeros_like(g).scatter_add(dim, at, g);
                 },
                 indices));
  return {recorded, indices};
}

// Scans of integers run in int64, whose low bits are the result in a narrower dtype.
ScalarType scan_dtype(ScalarType dtype) {
  return is_floating_point(dtype) || dtype == kBool ? dtype : kLong;
}

using RunningOp = Tensor (*)(const Tensor& self, std::int64_t dim, bool reverse);

Tensor accumulate(const char* what, RunningOp op, const Tensor& self, std::int64_t dim,
                  std::optional<ScalarType> dtype) {
  const ScalarType wanted = dtype.value_or(self.is_floating_point() ? self.dtype() : kLong);
  TERN_CHECK(is_floating_point(wanted) || !needs_grad(self), DTypeError,
             "Autograd not support dtype: ", wanted, ", for ", what, " of a tensor of ",
             self.scalar_type(), " that requires grad");
  return op(self.to(wanted).to(scan_dtype(wanted)), dim, /*reverse=*/false).to(wanted);
}

Tensor& accumulate_in_place(const ScanCall& call, RunningOp op, Tensor& self,
                            std::optional<ScalarType> dtype) {
  TERN_CHECK(dtype.value_or(self.dtype()) == self.dtype(), DTypeError,
             "Bad in-place call: input tensor dtype ", self.scalar_type(),
             " and output tensor dtype ", *dtype, " should match");
  wrap_dim(call.dim, self.dim());
  const auto apply = [&](const Tensor& x, const Tensor& out) {
    if (!out.defined()) return op(x, call.dim, /*reverse=*/false);
    const ScalarType inner = scan_dtype(x.dtype());
    if (inner == x.dtype() && x.is_contiguous()) {
      run_scan(call, x, out);
    } else {
      detail::copy_elements(out, scanned(call, x.detach().to(inner)));
    }
    return call.op == ScanOp::kSum ? record_sum(x, out, call.dim, /*reverse=*/false) : out;
  };
  if (call.op == ScanOp::kSum) return detail::overwrite_into(self, apply);
  return detail::inplace(self, apply);
}

}  // namespace

Tensor cumsum(const Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("cumsum", self);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, cumsum, self, dim, dtype);
  return accumulate("the running sum", running_sum, self, dim, dtype);
}
Tensor& cumsum_(Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("cumsum_", self);
  return accumulate_in_place({"cumsum", ScanOp::kSum, dim}, running_sum, self, dtype);
}
Tensor cumprod(const Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("cumprod", self);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, cumprod, self, dim, dtype);
  return accumulate("the running product", detail::running_product, self, dim, dtype);
}
Tensor& cumprod_(Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("cumprod_", self);
  return accumulate_in_place({"cumprod", ScanOp::kProd, dim}, detail::running_product, self, dtype);
}

Tensor logcumsumexp(const Tensor& self, StrictInt dim) {
  TERN_OP("logcumsumexp", self);
  TERN_CHECK(self.is_floating_point(), NotImplementedError,
             "\"logcumsumexp\" not implemented for '", self.scalar_type(),
             "': use to(kFloat) first");
  return running_log_sum(self, dim);
}

std::tuple<Tensor, Tensor> cummax(const Tensor& self, StrictInt dim) {
  TERN_OP("cummax", self);
  return running_extreme("cummax", "CummaxBackward0", ScanOp::kMax, self, dim);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, StrictInt dim) {
  TERN_OP("cummin", self);
  return running_extreme("cummin", "CumminBackward0", ScanOp::kMin, self, dim);
}

}  // namespace tern
