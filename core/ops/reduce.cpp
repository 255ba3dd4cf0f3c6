#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/reduction.h>
#include <tern/core/tensor/shape.h>

// Sums and what is made of them.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::reduced_count;
using detail::restore_dims;
using detail::run_reduce;
using kernels::ReduceOp;

void check_floating(const Tensor& self, const char* rule) {
  TERN_CHECK(self.is_floating_point(), DTypeError, rule, self.dtype());
}

// Sum times `scale`; its gradient is the same for every element.
Tensor scaled_sum(const char* name, const char* node, const Tensor& self, IntArrayRef dim,
                  bool keepdim, double scale) {
  Tensor out = run_reduce({name, ReduceOp::kSum, self.dtype(), scale, keepdim}, self, dim);
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
  const ScalarType wanted = dtype.value_or(self.is_floating_point() ? self.dtype() : kLong);
  TERN_CHECK(is_floating_point(wanted) || !needs_grad(self), DTypeError,
             "Autograd not support dtype: ", wanted, ", for the sum of a tensor of ", self.dtype(),
             " that requires grad");
  if (wanted == kBool) return run_reduce({"sum", ReduceOp::kAny, kBool, 1, keepdim}, self, dim);
  if (self.dtype() == wanted) return scaled_sum("sum", node, self, dim, keepdim, 1);
  return scaled_sum("sum", node, self.to(wanted), dim, keepdim, 1);
}

Tensor mean_of(const char* node, const Tensor& self, IntArrayRef dim, bool keepdim) {
  check_floating(
      self,
      "mean(): could not infer output dtype. Input dtype must be either a floating point or "
      "complex dtype. Got: ");
  const double count = static_cast<double>(reduced_count(self, dim));
  Tensor out = scaled_sum("mean", node, self, dim, keepdim, count == 0 ? 1 : 1 / count);
  // 0 / 0: the mean of nothing.
  return count == 0 ? out * std::numeric_limits<double>::quiet_NaN() : out;
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
Tensor mean(const Tensor& self) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward0", self, {}, false);
}
Tensor mean(const Tensor& self, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("mean", self);
  return mean_of("MeanBackward1", self, dim, keepdim);
}

namespace {

// d prod / d x_i is the product of the others: where one element is 0 it alone has a gradient,
// where two are, nobody has. Computed without division, from products before and after.
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

}  // namespace

Tensor prod(const Tensor& self) {
  TERN_OP("prod", self);
  const Tensor x = self.to(self.is_floating_point() ? self.dtype() : kLong);
  Tensor out = run_reduce({"prod", ReduceOp::kProd, x.dtype()}, x, {});
  if (!needs_grad(x)) return out;
  return record("ProdBackward0", out,
                wrt(
                    x,
                    [](const Tensor& g, const Tensor& in) {
                      return prod_gradient(g, in.reshape({-1}), 0).reshape(in.sizes());
                    },
                    x));
}

Tensor prod(const Tensor& self, StrictInt dim, StrictBool keepdim) {
  TERN_OP("prod", self);
  const Tensor x = self.to(self.is_floating_point() ? self.dtype() : kLong);
  if (x.dim() == 0) {
    wrap_dim(dim, 0);
    return prod(x);
  }
  Tensor out = run_reduce({"prod", ReduceOp::kProd, x.dtype(), 1, keepdim}, x, std::int64_t{dim});
  if (!needs_grad(x)) return out;
  return record("ProdBackward1", out,
                wrt(
                    x,
                    [dim = std::int64_t{dim}, keepdim](const Tensor& g, const Tensor& in) {
                      return prod_gradient(restore_dims(g, dim, in.dim(), keepdim), in, dim);
                    },
                    x));
}

namespace {

// self minus its mean.
Tensor centred(const Tensor& self, IntArrayRef dim) {
  check_floating(self, "std and var only support floating point and complex dtypes, got ");
  return self - mean_of("MeanBackward1", self, dim, true);
}

// What the sum of squares is divided by.
double degrees_of_freedom(const Tensor& self, IntArrayRef dim, bool unbiased) {
  const double count = static_cast<double>(reduced_count(self, dim));
  return std::max(count - (unbiased ? 1.0 : 0.0), 0.0);
}

Tensor var_of(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim) {
  return square(centred(self, dim)).sum(dim, keepdim) / degrees_of_freedom(self, dim, unbiased);
}

// From the norm, which scales numbers whose squares leave the range of the dtype.
Tensor std_of(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim) {
  return norm(centred(self, dim), 2, dim, keepdim) /
         std::sqrt(degrees_of_freedom(self, dim, unbiased));
}

// sqrt with gradient 0 at 0, where the norm has a kink.
Tensor root(const Tensor& squares) {
  const Tensor is_zero = squares == 0;
  return masked_fill(sqrt(masked_fill(squares, is_zero, 1)), is_zero, 0);
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

namespace {

// The norm by its definition, which loses numbers whose powers leave the range of the dtype.
Tensor plain_norm(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  if (order == 2) return root(square(self).sum(dim, keepdim));
  // A power whose gradient at 0 is taken as 0, also where it is infinite.
  const auto power = [](const Tensor& x, double exponent) {
    const Tensor is_zero = x == 0;
    const double of_zero = exponent > 0 ? 0 : std::numeric_limits<double>::infinity();
    return masked_fill(pow(masked_fill(x, is_zero, 1), exponent), is_zero, of_zero);
  };
  const Tensor sizes = abs(self);
  const Tensor sum = (order < 1 ? power(sizes, order) : pow(sizes, order)).sum(dim, keepdim);
  return power(sum, 1 / order);
}

// True when a power may have left the range of the dtype: a norm is infinite or tiny. Only a norm
// in host memory can be looked at without waiting.
template <class T>
bool may_have_lost_range(const Tensor& norms, double order) {
  if (!norms.is_cpu() || !norms.is_contiguous() || order < 0) return false;
  const double smallest =
      std::pow(static_cast<double>(std::numeric_limits<T>::min()) * 1e8, 1 / order);
  const T* const values = norms.data_ptr<T>();
  bool lost = false;
  for (std::int64_t i = 0; i < norms.numel(); ++i) {
    lost |= values[i] < smallest || values[i] > std::numeric_limits<T>::max();
  }
  return lost;
}

// The norm of numbers that are scaled to at most 1 first. Its gradient divides before it
// multiplies.
Tensor scaled_norm(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor x = self.detach();
    const Tensor largest = abs(x).amax(dim, true);
    const Tensor scale = masked_fill(largest, logical_or(largest == 0, ~isfinite(largest)), 1);
    const Tensor norms = plain_norm(x / scale, order, dim, true) * scale;
    out = keepdim ? norms
                  : norms.reshape(detail::kept_sizes(x, detail::reduced_dims(dim, x.dim()), false));
  }
  if (!needs_grad(self)) return out;
  return record("NormBackward1", out,
                wrt(
                    self,
                    [order, dims = DimVector(dim), keepdim](const Tensor& g, const Tensor& x,
                                                            const Tensor& norms) {
                      const auto wide = [&](const Tensor& t) {
                        return restore_dims(t, dims, x.dim(), keepdim);
                      };
                      const Tensor is_zero = x == 0;
                      const Tensor share = x / masked_fill(wide(norms), wide(norms) == 0, 1);
                      const Tensor each =
                          order == 2
                              ? share
                              : sign(share) * pow(masked_fill(abs(share), is_zero, 1), order - 1);
                      return masked_fill(wide(g) * each, is_zero, 0);
                    },
                    self, out));
}

}  // namespace

Tensor norm(const Tensor& self) { return norm(self, 2); }
Tensor norm(const Tensor& self, const Scalar& p) { return norm(self, p, {}, false); }

Tensor norm(const Tensor& self, const Scalar& p, IntArrayRef dim, StrictBool keepdim) {
  TERN_OP("norm", self);
  check_floating(self, "norm(): input dtype should be either floating point or complex, got ");
  const double order = p.toDouble();
  if (order == 1) return abs(self).sum(dim, keepdim);
  if (order == 0) {
    const Tensor is_zero = self == 0;  // flat everywhere, so that all gradients are 0
    return masked_fill(masked_fill(self, ~is_zero, 1), is_zero, 0).sum(dim, keepdim);
  }
  if (std::isinf(order)) {
    return order > 0 ? abs(self).amax(dim, keepdim) : abs(self).amin(dim, keepdim);
  }
  TERN_CHECK(order > 0 || reduced_count(self, dim) != 0, Error,
             "linalg.vector_norm cannot compute the ", p,
             " norm on an empty tensor because the operation does not have an identity. Got sizes ",
             self.sizes());
  if (order > 0 && reduced_count(self, dim) == 1) return abs(self).sum(dim, keepdim);
  const Tensor norms = plain_norm(self, order, dim, keepdim);
  const bool lost = self.dtype() == kFloat    ? may_have_lost_range<float>(norms, order)
                    : self.dtype() == kDouble ? may_have_lost_range<double>(norms, order)
                                              : false;
  return lost && self.numel() != 0 ? scaled_norm(self, order, dim, keepdim) : norms;
}

Tensor Tensor::sum() const { return tern::sum(*this); }
Tensor Tensor::sum(IntArrayRef dim, StrictBool keepdim, std::optional<ScalarType> dtype) const {
  return tern::sum(*this, dim, keepdim, dtype);
}
Tensor Tensor::sum(ScalarType dtype) const {
  TERN_OP("sum", *this);
  return sum_of("SumBackward0", *this, {}, false, dtype);
}
Tensor Tensor::mean() const { return tern::mean(*this); }
Tensor Tensor::mean(IntArrayRef dim, StrictBool keepdim) const {
  return tern::mean(*this, dim, keepdim);
}
Tensor Tensor::prod() const { return tern::prod(*this); }
Tensor Tensor::prod(StrictInt dim, StrictBool keepdim) const {
  return tern::prod(*this, dim, keepdim);
}
Tensor Tensor::var() const { return tern::var(*this); }
Tensor Tensor::var(IntArrayRef dim, StrictBool unbiased, StrictBool keepdim) const {
  return tern::var(*this, dim, unbiased, keepdim);
}
Tensor Tensor::std() const { return tern::std(*this); }
Tensor Tensor::std(IntArrayRef dim, StrictBool unbiased, StrictBool keepdim) const {
  return tern::std(*this, dim, unbiased, keepdim);
}
Tensor Tensor::norm() const { return tern::norm(*this); }
Tensor Tensor::norm(const Scalar& p, IntArrayRef dim, StrictBool keepdim) const {
  return tern::norm(*this, p, dim, keepdim);
}

}  // namespace tern
