#include <bit>
#include <cmath>
#include <cstdint>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/finite.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/ops/reduce/detail/scan.h>
#include <tern/core/tensor/detail/shape.h>

// Sums, means and products.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::reduced_count;
using detail::restore_dims;
using detail::run_reduce;
using kernels::ReduceOp;

// Returns the dtype of a sum or product: bools and integers give int64.
ScalarType sum_dtype(const Tensor& self) { return self.is_floating_point() ? self.dtype() : kLong; }

// Returns the sum times `scale`. All elements have the same gradient.
Tensor scaled_sum(const char* name, const char* node, const Tensor& self, IntArrayRef dim,
                  bool keepdim, double scale) {
  Tensor out = run_reduce({name, ReduceOp::kSum, sum_dtype(self), scale, keepdim}, self, dim);
  if (!needs_grad(self)) return out;
  return record(node, out,
                wrt(self, [shape = self.self().sizes, dims = DimVector(dim), keepdim,
                           scale](const Tensor& g) {
                  const Tensor each = scale == 1 ? g : g * scale;
                  return restore_dims(each, dims, static_cast<std::int64_t>(shape.size()), keepdim)
                      .expand(shape);
                }));
}

// Returns the dtype of a sum or product, `dtype` if given. Throws DTypeError if it has no gradient
// that `self` requires.
ScalarType total_dtype(const char* what, const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType wanted = dtype.value_or(sum_dtype(self));
  TERN_CHECK(is_floating_point(wanted) || !needs_grad(self), DTypeError,
             "Autograd not support dtype: ", wanted, ", for the ", what, " of a tensor of ",
             self.scalar_type(), " that requires grad");
  return wanted;
}

// Returns `self` in a dtype whose total, cast to `wanted`, is the total in `wanted`. Totals of
// integers are int64, whose low bits are the total in a narrower dtype.
Tensor as_terms(const Tensor& self, ScalarType wanted) {
  const bool casts = self.is_floating_point() ? self.dtype() != wanted : is_floating_point(wanted);
  return casts ? self.to(wanted) : self;
}

Tensor sum_of(const char* node, const Tensor& self, IntArrayRef dim, bool keepdim,
              std::optional<ScalarType> dtype) {
  const ScalarType wanted = total_dtype("sum", self, dtype);
  if (wanted == kBool) return run_reduce({"sum", ReduceOp::kAny, kBool, 1, keepdim}, self, dim);
  return scaled_sum("sum", node, as_terms(self, wanted), dim, keepdim, 1).to(wanted);
}

Tensor mean_of(const char* node, const Tensor& self, IntArrayRef dim, bool keepdim,
               std::optional<ScalarType> dtype = std::nullopt) {
  TERN_CHECK(is_floating_point(dtype.value_or(self.dtype())), DTypeError,
             "mean(): could not infer output dtype. ", dtype ? "Optional" : "Input",
             " dtype must be either a floating point or complex dtype. Got: ",
             dtype.value_or(self.scalar_type()));
  // The mean of no elements is 0 times infinity: NaN.
  return scaled_sum("mean", node, self.to(dtype.value_or(self.dtype())), dim, keepdim,
                    1 / static_cast<double>(reduced_count(self, dim)));
}

}  // namespace

Tensor sum(const Tensor& self) {
  TERN_OP("sum", self);
  TERN_AUTOCAST(kUnchanged, kFloat32, sum, self);
  return sum_of("SumBackward0", self, {}, false, std::nullopt);
}
Tensor sum(const Tensor& self, IntArrayRef dim, StrictBool keepdim,
           std::optional<ScalarType> dtype) {
  TERN_OP("sum", self);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, sum, self, dim, keepdim, dtype);
  return sum_of("SumBackward1", self, dim, keepdim, dtype);
}
Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  TERN_OP("sum", self);
  return sum_of("SumBackward0", self, {}, false, dtype);
}
Tensor mean(const Tensor& self) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward0", self, {}, false);
}
Tensor mean(const Tensor& self, IntArrayRef dim, StrictBool keepdim,
            std::optional<ScalarType> dtype) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward1", self, dim, keepdim, dtype);
}
Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward0", self, {}, false, dtype);
}

namespace {

template <class Bits, class T>
bool are_finite(const Tensor& t, Bits exponent) {
  const T* const values = t.data_ptr<T>();
  bool finite = true;
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) {
    finite &= (std::bit_cast<Bits>(values[i]) & exponent) != exponent;
  }
  return finite;
}

}  // namespace

bool detail::looks_finite(const Tensor& t) {
  constexpr std::int64_t kFew = 512;  // not worth a kernel
  if (!t.is_cpu()) return true;
  if (t.numel() <= kFew && t.is_contiguous()) {
    if (t.dtype() == kFloat) return are_finite<std::uint32_t, float>(t, 0x7f800000);
    if (t.dtype() == kDouble) return are_finite<std::uint64_t, double>(t, 0x7ff0000000000000);
  }
  const NoGradGuard no_grad;
  // The sum of finite numbers may overflow.
  return std::isfinite(t.sum().item<double>()) || t.isfinite().all().item<bool>();
}

namespace {

// d prod / d x_i is the product of the other elements: if one element is 0, only that element has a
// gradient; if two are 0, none has. Computed from running products, without division.
Tensor prod_gradient(const Tensor& g, const Tensor& x, const Tensor& product, std::int64_t dim) {
  if (x.numel() == 0) return zeros_like(x);
  const Tensor before =
      detail::exclusive_products(detail::running_product(x, dim, false), dim, false);
  const Tensor others =
      detail::times_exclusive_products(before, detail::running_product(x, dim, true), dim, true);
  Tensor grad = g * others;
  if (detail::looks_finite(grad)) return grad;
  // A product of some elements has left the range of the dtype.
  if (x.dtype() != kDouble) {
    return prod_gradient(g.to(kDouble), x.to(kDouble), product.to(kDouble), dim).to(grad.dtype());
  }
  if (!detail::looks_finite(x)) return grad;
  const Tensor keeps = logical_or(isfinite(grad), x == 0);
  return where(keeps, grad, g * product / masked_fill(x, keeps, 1));
}

Tensor prod_of(const char* node, const Tensor& self, std::optional<std::int64_t> dim, bool keepdim,
               std::optional<ScalarType> dtype) {
  if (dim && self.dim() == 0) {
    wrap_dim(*dim, 0);
    dim.reset();
  }
  const ScalarType wanted = total_dtype("product", self, dtype);
  const IntArrayRef dims = dim ? IntArrayRef(*dim) : IntArrayRef();
  if (wanted == kBool) return run_reduce({"prod", ReduceOp::kAll, kBool, 1, keepdim}, self, dims);
  const Tensor terms = as_terms(self, wanted);
  Tensor out = run_reduce({"prod", ReduceOp::kProd, sum_dtype(terms), 1, keepdim}, terms, dims);
  if (!needs_grad(terms)) return out.to(wanted);
  return record(node, out,
                wrt(
                    terms,
                    [dim, keepdim](const Tensor& g, const Tensor& in, const Tensor& product) {
                      if (in.dim() == 0) return g;
                      if (!dim) {
                        return prod_gradient(g, in.reshape({-1}), product, 0).reshape(in.sizes());
                      }
                      const auto wide = [&](const Tensor& t) {
                        return restore_dims(t, *dim, in.dim(), keepdim);
                      };
                      return prod_gradient(wide(g), in, wide(product), *dim);
                    },
                    terms, out));
}

}  // namespace

Tensor prod(const Tensor& self) {
  TERN_OP("prod", self);
  TERN_AUTOCAST(kFloat32, kFloat32, prod, self);
  return prod_of("ProdBackward0", self, std::nullopt, false, std::nullopt);
}
Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  TERN_OP("prod", self);
  return prod_of("ProdBackward0", self, std::nullopt, false, dtype);
}
Tensor prod(const Tensor& self, StrictInt dim, StrictBool keepdim,
            std::optional<ScalarType> dtype) {
  TERN_OP("prod", self);
  TERN_AUTOCAST_IF(!dtype, kFloat32, kFloat32, prod, self, dim, keepdim, dtype);
  return prod_of("ProdBackward1", self, dim, keepdim, dtype);
}

namespace {

Tensor is_number(const Tensor& x) { return logical_not(isnan(x)); }

}  // namespace

Tensor nansum(const Tensor& self, IntArrayRef dim, StrictBool keepdim,
              std::optional<ScalarType> dtype) {
  TERN_OP("nansum", self);
  const ScalarType wanted = total_dtype("sum", self, dtype);
  if (!is_floating_point(wanted)) {  // as an integer, NaN would be a number
    const Tensor numbers = self.is_floating_point() ? masked_fill(self, isnan(self), 0) : self;
    return sum_of("SumBackward1", numbers, dim, keepdim, dtype);
  }
  const Tensor terms = as_terms(self, wanted);
  Tensor out = run_reduce({"nansum", ReduceOp::kNanSum, wanted, 1, keepdim}, terms, dim);
  if (!needs_grad(terms)) return out;
  return record("NansumBackward0", out,
                wrt(
                    terms,
                    [dims = DimVector(dim), keepdim](const Tensor& g, const Tensor& x) {
                      return restore_dims(g, dims, x.dim(), keepdim) * is_number(x).to(g.dtype());
                    },
                    terms));
}

Tensor nanmean(const Tensor& self, IntArrayRef dim, StrictBool keepdim,
               std::optional<ScalarType> dtype) {
  TERN_OP("nanmean", self);
  TERN_CHECK(self.is_floating_point(), DTypeError,
             "expected input to have floating point or complex dtype but got ", self.scalar_type());
  return nansum(self, dim, keepdim, dtype) / is_number(self.detach()).sum(dim, keepdim);
}

Tensor count_nonzero(const Tensor& self, IntArrayRef dim) {
  TERN_OP("count_nonzero", self);
  return run_reduce({"count_nonzero", ReduceOp::kCount, kLong}, self, dim);
}

namespace {

// Returns log(sum(e^x)) of floating x. Subtracts the largest element, if finite, before exp().
Tensor log_of_sum(const Tensor& x, IntArrayRef dim, bool keepdim) {
  if (x.numel() == 0) return log(exp(x).sum(dim, keepdim));
  Tensor largest = amax(x, dim, true);
  largest = masked_fill(largest, isinf(largest), 0);
  const Tensor sum = exp(x - largest).sum(dim, keepdim);
  return log(sum) + largest.reshape(sum.sizes());
}

}  // namespace

Tensor logsumexp(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("logsumexp", self);
  TERN_AUTOCAST(kUnchanged, kFloat32, logsumexp, self, dim, keepdim);
  const Tensor x = self.is_floating_point() ? self : self.to(get_default_dtype());
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = log_of_sum(x.to(kernels::math_dtype(x.dtype())), dim, keepdim).to(x.dtype());
  }
  if (!needs_grad(x)) return out;
  return record(
      "LogsumexpBackward0", out,
      wrt(
          x,
          [dims = DimVector(dim), keepdim](const Tensor& g, const Tensor& in, const Tensor& y) {
            const auto back = [&](const Tensor& t) {
              return restore_dims(t, dims, in.dim(), keepdim);
            };
            return back(g) * exp(in - back(y));
          },
          x, out));
}

}  // namespace tern
