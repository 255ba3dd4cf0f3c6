#include <algorithm>
#include <cmath>
#include <utility>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/kernels/math_dtype.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/detail/reduce.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Sum, mean, prod, var and std.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::reduced_count;
using detail::restore_dims;
using detail::run_reduce;
using kernels::math_dtype;
using kernels::ReduceOp;

// Returns the dtype of a sum or product: bools and integers give int64.
ScalarType sum_dtype(const Tensor& self) { return self.is_floating_point() ? self.dtype() : kLong; }

void check_floating(const Tensor& self, const char* rule) {
  TERN_CHECK(self.is_floating_point(), DTypeError, rule, self.dtype());
}

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

Tensor sum_of(const char* node, const Tensor& self, IntArrayRef dim, bool keepdim,
              std::optional<ScalarType> dtype) {
  const ScalarType wanted = dtype.value_or(sum_dtype(self));
  TERN_CHECK(is_floating_point(wanted) || !needs_grad(self), DTypeError,
             "Autograd not support dtype: ", wanted, ", for the sum of a tensor of ", self.dtype(),
             " that requires grad");
  if (wanted == kBool) return run_reduce({"sum", ReduceOp::kAny, kBool, 1, keepdim}, self, dim);
  const bool casts = self.is_floating_point() ? self.dtype() != wanted : is_floating_point(wanted);
  // Sums of integers are int64, whose low bits are the sum in a narrower dtype.
  return scaled_sum("sum", node, casts ? self.to(wanted) : self, dim, keepdim, 1).to(wanted);
}

Tensor mean_of(const char* node, const Tensor& self, IntArrayRef dim, bool keepdim) {
  check_floating(
      self,
      "mean(): could not infer output dtype. Input dtype must be either a floating point or "
      "complex dtype. Got: ");
  // The mean of no elements is 0 times infinity: NaN.
  return scaled_sum("mean", node, self, dim, keepdim,
                    1 / static_cast<double>(reduced_count(self, dim)));
}

}  // namespace

Tensor sum(const Tensor& self) {
  TERN_OP("sum", self);
  return sum_of("SumBackward0", self, {}, false, std::nullopt);
}
Tensor sum(const Tensor& self, IntArrayRef dim, StrictBool keepdim,
           std::optional<ScalarType> dtype) {
  TERN_OP("sum", self);
  return sum_of("SumBackward1", self, dim, keepdim, dtype);
}
Tensor sum(const Tensor& self, ScalarType dtype) {
  TERN_OP("sum", self);
  return sum_of("SumBackward0", self, {}, false, dtype);
}
Tensor mean(const Tensor& self) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward0", self, {}, false);
}
Tensor mean(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward1", self, dim, keepdim);
}

namespace {

// d prod / d x_i is the product of the other elements: if one element is 0, only that element has a
// gradient; if two are 0, none has. Computed from prefix and suffix products, without division.
Tensor prod_gradient(const Tensor& g, const Tensor& x, std::int64_t dim) {
  const std::int64_t count = x.size(dim);
  if (count == 0) return zeros_like(x);
  const std::vector<Tensor> slices = x.unbind(dim);
  std::vector<Tensor> gradients(slices.size());
  Tensor before = ones_like(slices[0]);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    gradients[i] = before;
    before = before * slices[i];
  }
  Tensor after = ones_like(slices[0]);
  for (std::size_t i = slices.size(); i-- > 0;) {
    gradients[i] = gradients[i] * after;
    after = after * slices[i];
  }
  return g * stack(gradients, dim);
}

// The result is saved only so that an in-place change of it before backward throws, as in PyTorch.
Tensor prod_of_all(const char* node, const Tensor& self) {
  Tensor out = run_reduce({"prod", ReduceOp::kProd, sum_dtype(self)}, self, {});
  if (!needs_grad(self)) return out;
  return record(node, out,
                wrt(
                    self,
                    [](const Tensor& g, const Tensor& in, const Tensor& /*result*/) {
                      return prod_gradient(g, in.reshape({-1}), 0).reshape(in.sizes());
                    },
                    self, out));
}

}  // namespace

Tensor prod(const Tensor& self) {
  TERN_OP("prod", self);
  return prod_of_all("ProdBackward0", self);
}

Tensor prod(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("prod", self);
  if (self.dim() == 0) {
    wrap_dim(dim, 0);
    return prod_of_all("ProdBackward1", self);
  }
  Tensor out =
      run_reduce({"prod", ReduceOp::kProd, sum_dtype(self), 1, keepdim}, self, std::int64_t{dim});
  if (!needs_grad(self)) return out;
  return record("ProdBackward1", out,
                wrt(
                    self,
                    [dim = std::int64_t{dim}, keepdim](const Tensor& g, const Tensor& in,
                                                       const Tensor& /*result*/) {
                      return prod_gradient(restore_dims(g, dim, in.dim(), keepdim), in, dim);
                    },
                    self, out));
}

namespace {

// The elements of `self` minus their mean, and the divisor of the sum of their squares.
struct Deviations {
  Tensor each;
  double degrees_of_freedom;
};

Deviations deviations(const Tensor& self, IntArrayRef dim, bool unbiased) {
  check_floating(self, "std and var only support floating point and complex dtypes, got ");
  const double count = static_cast<double>(reduced_count(self, dim));
  return {self - mean_of("MeanBackward1", self, dim, true),
          std::max(count - (unbiased ? 1.0 : 0.0), 0.0)};
}

Tensor var_of(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    Deviations from_mean = deviations(self.to(math_dtype(self.dtype())), dim, unbiased);
    // Moved, so that square() reuses the memory.
    out = square(std::move(from_mean.each)).sum(dim, keepdim) / from_mean.degrees_of_freedom;
    out = out.to(self.dtype());
  }
  if (!needs_grad(self)) return out;
  return record("VarBackward0", out,
                wrt(
                    self,
                    [dims = DimVector(dim), unbiased, keepdim](const Tensor& g, const Tensor& x) {
                      const auto [each, degrees] = deviations(x, dims, unbiased);
                      return restore_dims(g, dims, x.dim(), keepdim) * (2 / degrees) * each;
                    },
                    self));
}

// Uses norm(), which scales numbers whose squares leave the range of the dtype.
Tensor std_of(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Deviations from_mean = deviations(self.to(math_dtype(self.dtype())), dim, unbiased);
    out = norm(from_mean.each, 2, dim, keepdim) / std::sqrt(from_mean.degrees_of_freedom);
    out = out.to(self.dtype());
  }
  if (!needs_grad(self)) return out;
  return record("StdBackward0", out,
                wrt(
                    self,
                    [dims = DimVector(dim), unbiased, keepdim](const Tensor& g, const Tensor& x,
                                                               const Tensor& y) {
                      const auto [each, degrees] = deviations(x, dims, unbiased);
                      const auto back = [&](const Tensor& t) {
                        return restore_dims(t, dims, x.dim(), keepdim);
                      };
                      const Tensor flat = back(y) == 0;
                      // Divides first, because the squares may leave the range.
                      const Tensor share = each / masked_fill(back(y), flat, 1);
                      return masked_fill(back(g) / degrees * share, flat, 0);
                    },
                    self, out));
}

}  // namespace

Tensor var(const Tensor& self) {
  TERN_OP("var", self);
  return var_of(self, {}, true, false);
}
Tensor var(const Tensor& self, IntArrayRef dim, StrictBool unbiased, StrictBool keepdim) {
  TERN_OP("var", self);
  return var_of(self, dim, unbiased, keepdim);
}
Tensor std(const Tensor& self) {
  TERN_OP("std", self);
  return std_of(self, {}, true, false);
}
Tensor std(const Tensor& self, IntArrayRef dim, StrictBool unbiased, StrictBool keepdim) {
  TERN_OP("std", self);
  return std_of(self, dim, unbiased, keepdim);
}

}  // namespace tern
