// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using detail::reduced_count;

// Computes the norm by its definition, which loses numbers whose powers leave the range of the
// dtype (for order 2: of float64).
Tensor plain_norm(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  if (order == 2) {
    return detail::run_reduce({"norm", kernels::ReduceOp::kNorm, self.dtype(), 1, keepdim}, self,
                              dim);
  }
  return pow(pow(abs(self), order).sum(dim, keepdim), 1 / order);
}

// Returns true if a power may have left the range of the dtype: a norm is infinite or tiny. Only
// norms in host memory can be read without waiting.
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

// Computes the norm of numbers that are first scaled to at most 1.
Tensor scaled_norm(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  const Tensor largest = abs(self).amax(dim, true);
  const Tensor scale = masked_fill(largest, logical_or(largest == 0, ~isfinite(largest)), 1);
  const Tensor norms = plain_norm(self / scale, order, dim, keepdim);
  return norms * scale.reshape(norms.sizes());
}

Tensor norm_of(const Tensor& self, double order, IntArrayRef dim, bool keepdim) {
  const ScalarType wide = kernels::math_dtype(self.dtype());
  if (wide != self.dtype() && order != 2) {
    return norm_of(self.to(wide), order, dim, keepdim).to(self.dtype());
  }
  if (order == 0) return (self != 0).to(self.dtype()).sum(dim, keepdim);
  if (order == 1) return abs(self).sum(dim, keepdim);
  if (std::isinf(order)) {
    return order > 0 ? abs(self).amax(dim, keepdim) : abs(self).amin(dim, keepdim);
  }
  if (reduced_count(self, dim) == 1) return abs(self).sum(dim, keepdim);
  const Tensor norms = plain_norm(self, order, dim, keepdim);
  bool lost = false;
  if (self.dtype() == kDouble) {
    lost = may_have_lost_range<double>(norms, order);
  } else if (order != 2) {  // kernels add squares of floats in double
    lost = may_have_lost_range<float>(norms, order);
  }
  return lost && self.numel() != 0 ? scaled_norm(self, order, dim, keepdim) : norms;
}

// Returns the gradient of the norm `y` of x; y broadcasts to x. Divides before it multiplies, so
// that intermediate results stay in the range of the dtype if possible.
Tensor norm_gradient(const Tensor& g, const Tensor& x, const Tensor& y, double order,
                     IntArrayRef dim) {
  if (order == 1) return g * sign(x);
  if (std::isinf(order)) {  // equal extremes share the gradient
    const Tensor chosen = logical_or(abs(x) == y, isnan(x)).to(x.dtype());
    return g * sign(x) * (chosen / chosen.sum(dim, true));
  }
  const Tensor flat = y == 0;
  const Tensor share = x / masked_fill(y, flat, 1);
  if (order == 2) return masked_fill(g * share, flat, 0);
  const Tensor is_zero = logical_or(x == 0, flat);
  const Tensor power = pow(masked_fill(abs(share), is_zero, 1), order - 1);
  return masked_fill(g * (sign(share) * power), is_zero, 0);
}

// Returns the norm as one node of the tape.
Tensor recorded_norm(const Tensor& self, const Scalar& p, IntArrayRef dim, bool keepdim,
                     std::optional<ScalarType> dtype,
                     const char* node = "LinalgVectorNormBackward0") {
  if (dtype && *dtype != self.dtype()) {
    TERN_CHECK(is_floating_point(*dtype), DTypeError,
               "linalg.vector_norm: dtype should be floating point or complex, but got ", *dtype);
    TERN_CHECK(promote_types(self.dtype(), *dtype) == *dtype, DTypeError,
               "linalg.vector_norm: the dtype of the input (", self.scalar_type(),
               ") should be convertible without narrowing to the specified dtype (", *dtype, ")");
    return recorded_norm(self.to(*dtype), p, dim, keepdim, std::nullopt, node);
  }
  const double order = p.toDouble();
  const bool has_identity = order >= 0 && !std::isinf(order);
  TERN_CHECK(has_identity || reduced_count(self, dim) != 0, Error,
             "linalg.vector_norm cannot compute the ", p,
             " norm on an empty tensor because the operation does not have an identity. Got sizes ",
             self.sizes());
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = norm_of(self, order, dim, keepdim);
  }
  if (!needs_grad(self)) return out;
  return autograd::record(node, out,
                          autograd::wrt(
                              self,
                              [order, dims = DimVector(dim), keepdim](
                                  const Tensor& g, const Tensor& x, const Tensor& y) {
                                if (order == 0)
                                  return Tensor();  // constant wherever it has a derivative
                                const auto wide = [&](const Tensor& t) {
                                  return detail::restore_dims(t, dims, x.dim(), keepdim);
                                };
                                return norm_gradient(wide(g), x, wide(y), order, dims);
                              },
                              self, out));
}

Tensor checked_norm(const Tensor& self, const Scalar& p, IntArrayRef dim, bool keepdim,
                    std::optional<ScalarType> dtype) {
  TERN_CHECK(self.is_floating_point(), DTypeError,
             "norm(): input dtype should be either floating point or complex, got ",
             self.scalar_type());
  return recorded_norm(self, p, dim, keepdim, dtype);
}

}  // namespace

Tensor norm(const Tensor& self) { return norm(self, 2); }
Tensor norm(const Tensor& self, const Scalar& p) {
  TERN_OP("norm", self);
  TERN_AUTOCAST(kUnchanged, kFloat32, norm, self, p);
  return checked_norm(self, p, {}, false, std::nullopt);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
  TERN_OP("norm", self);
  return checked_norm(self, p.value_or(2), {}, false, dtype);
}
Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, StrictBool keepdim,
            std::optional<ScalarType> dtype) {
  TERN_OP("norm", self);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, norm, self, p, dim, keepdim, dtype);
  return checked_norm(self, p.value_or(2), dim, keepdim, dtype);
}

namespace {

void check_floating_input(const Tensor& tensor) {
  TERN_CHECK(tensor.is_floating_point(), DTypeError,
             "Expected a floating point or complex tensor as input. Got ", tensor.scalar_type());
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& x, const Scalar& ord, IntArrayRef dim, StrictBool keepdim,
                          std::optional<ScalarType> dtype) {
  TERN_OP("linalg_vector_norm", x);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, linalg_vector_norm, x, ord, dim, keepdim, dtype);
  check_floating_input(x);
  return recorded_norm(x, ord, dim, keepdim, dtype);
}

namespace {

struct Renorm {
  double p;
  double limit;
  DimVector dims;  // all but the one of the slices

  // Returns the norms of the slices, in the dtype in which they are computed.
  Tensor norms(const Tensor& x) const {
    return recorded_norm(x.to(kernels::math_dtype(x.dtype())), p, dims, true, std::nullopt);
  }
  // Returns the factors of the slices in the dtype of x, to which PyTorch rounds them, too.
  Tensor factors(const Tensor& x) const {
    const Tensor lengths = norms(x);
    return where(lengths > limit, limit / (lengths + 1e-7), 1.0).to(x.dtype());
  }
};

Renorm checked_renorm(const Tensor& self, const Scalar& p, std::int64_t dim,
                      const Scalar& maxnorm) {
  check_floating_input(self);
  TERN_CHECK(p.toDouble() > 0, Error, "non-positive-norm not supported. Got p = ", p);
  TERN_CHECK(maxnorm.toDouble() >= 0, Error, "expected maxnorm to be >= 0 but got ", maxnorm);
  TERN_CHECK(self.dim() > 1, ShapeError, "input needs at least 2 dimensions, got ", self.dim(),
             " dimensions");
  Renorm renorm{p.toDouble(), maxnorm.toDouble(), {}};
  const std::int64_t kept = wrap_dim(dim, self.dim());
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (d != kept) renorm.dims.push_back(d);
  }
  return renorm;
}

// With n the norm and h = 1 / (n + 1e-7), the result is x limit h, and its derivative along n is
// -x limit h^2.
Tensor renorm_gradient(const Renorm& renorm, const Tensor& g, const Tensor& x) {
  const Tensor wide = x.to(kernels::math_dtype(x.dtype())), grad = g.to(wide.dtype());
  const Tensor lengths = renorm.norms(x);
  const Tensor inverse = reciprocal(lengths + 1e-7);
  const Tensor along = (wide * grad).sum(renorm.dims, true);
  const Tensor of_norm = norm_gradient(along, wide, lengths, renorm.p, renorm.dims);
  const Tensor scaled = renorm.limit * inverse * (grad - inverse * of_norm);
  return where(lengths > renorm.limit, scaled, grad);
}

// Writes to `out`, or returns a new tensor.
Tensor renormed(const Renorm& renorm, const Tensor& self, const Tensor& out) {
  Tensor result;
  {
    const NoGradGuard no_grad;
    result = detail::run_elementwise({"renorm", kernels::ElementwiseOp::mul, self.dtype()},
                                     {self, renorm.factors(self)}, out);
  }
  if (out.defined()) return out;
  if (!needs_grad(self)) return result;
  return autograd::record(
      "RenormBackward0", result,
      autograd::wrt(
          self,
          [renorm](const Tensor& g, const Tensor& x) { return renorm_gradient(renorm, g, x); },
          self));
}

}  // namespace

Tensor renorm(const Tensor& self, const Scalar& p, StrictInt dim, const Scalar& maxnorm) {
  TERN_OP("renorm", self);
  TERN_AUTOCAST(kUnchanged, kFloat32, renorm, self, p, dim, maxnorm);
  return renormed(checked_renorm(self, p, dim, maxnorm), self, {});
}
Tensor& renorm_(Tensor& self, const Scalar& p, StrictInt dim, const Scalar& maxnorm) {
  TERN_OP("renorm_", self);
  const Renorm rule = checked_renorm(self, p, dim, maxnorm);
  return detail::inplace(
      self, [&](const Tensor& x, const Tensor& out) { return renormed(rule, x, out); });
}

Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                          double norm_type) {
  TERN_OP("embedding_renorm_", weight, indices);
  TERN_CHECK(weight.dim() == 2, ShapeError, "'weight' must be 2-D, got sizes ", weight.sizes());
  TERN_CHECK(indices.dtype() == kLong || indices.dtype() == kInt, DTypeError,
             "Expected tensor for argument #2 'indices' to have one of the following scalar types: "
             "Long, Int; but got ",
             indices.scalar_type(), " instead");
  Tensor rows = indices.to(kLong).flatten();
  if (!rows.is_meta()) rows = std::get<0>(unique(rows));
  return weight.index_copy_(0, rows, renorm(weight.index_select(0, rows), norm_type, 0, max_norm));
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps,
                         StrictBool keepdim) {
  TERN_OP("pairwise_distance", x1, x2);
  TERN_AUTOCAST(kUnchanged, kFloat32, pairwise_distance, x1, x2, p, eps, keepdim);
  const std::int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return recorded_norm(x1 - x2 + eps, p, {last}, keepdim, std::nullopt, "NormBackward1");
}

Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
  TERN_OP("dist", self, other);
  TERN_AUTOCAST(kUnchanged, kFloat32, dist, self, other, p);
  const double order = p.toDouble();
  Tensor out = norm(self.detach() - other.detach(), p);
  if (!needs_grad(self, other)) return out;
  const auto gradient = [order](const Tensor& g, const Tensor& a, const Tensor& b,
                                const Tensor& y) {
    return order == 0 ? zeros_like(a - b) : norm_gradient(g, a - b, y, order, {});
  };
  return autograd::record("DistBackward0", out, autograd::wrt(self, gradient, self, other, out),
                          autograd::wrt(
                              other,
                              [gradient](const Tensor& g, const Tensor& a, const Tensor& b,
                                         const Tensor& y) { return -gradient(g, a, b, y); },
                              self, other, out));
}

}  // namespace tern
