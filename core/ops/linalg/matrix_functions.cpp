// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Tensors as matrices, the matrices of Vandermonde, and the exponential of a matrix.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

std::int64_t count_of(IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

// The powers 1 to count - 1 of each element, in this order or in the reverse.
Tensor powers_of(const Tensor& x, std::int64_t count) {
  const Tensor exponents = arange(1, count, TensorOptions(kLong).device(x.device()));
  const Tensor column = x.unsqueeze(-1);
  return is_floating_point(x.dtype()) ? column.pow(exponents.to(x.dtype()))
                                      : column.to(kLong).pow(exponents);
}

Tensor vandermonde(const Tensor& x, std::int64_t count) {
  if (count == 0) {
    DimVector sizes = x.self().sizes;
    sizes.push_back(0);
    return zeros(sizes, x.options());
  }
  const ScalarType dtype = is_floating_point(x.dtype()) ? x.dtype() : kLong;
  Tensor first = ones_like(x.detach().unsqueeze(-1), TensorOptions(dtype));
  if (count == 1) return first;
  const Tensor powers = powers_of(x, count);
  return cat({first, powers}, -1);
}

// Reverses the last dimension.
Tensor reversed(const Tensor& x) {
  const std::int64_t n = x.size(-1);
  const auto apply = [n](const Tensor& t) {
    const Tensor order = arange(n, TensorOptions(kLong).device(t.device()));
    return t.index_select(-1, n - 1 - order);
  };
  Tensor out = apply(x.detach());
  if (!needs_grad(x)) return out;
  return record("FlipBackward0", out, wrt(x, apply));
}

constexpr int kDegree = 16;

// The largest 1-norm for which the polynomial of degree 16 is exact to rounding: the next term,
// x^17 / 17!, is below the unit roundoff.
double largest_norm(ScalarType dtype) { return dtype == kDouble ? 0.78 : 2.0; }

// The polynomial of Taylor in powers of a^4 (Paterson and Stockmeyer, 1973).
Tensor taylor(const Tensor& a) {
  const Tensor identity = eye(a.size(-1), a.options());
  const Tensor a2 = a.matmul(a), a3 = a2.matmul(a), a4 = a2.matmul(a2);
  double factorial[kDegree + 1] = {1};
  for (int i = 1; i <= kDegree; ++i) factorial[i] = factorial[i - 1] * i;
  const auto block = [&](int i) {
    return identity / factorial[i] + a / factorial[i + 1] + a2 / factorial[i + 2] +
           a3 / factorial[i + 3];
  };
  Tensor sum = block(12) + a4 / factorial[16];
  for (int i = 8; i >= 0; i -= 4) sum = block(i) + a4.matmul(sum);
  return sum;
}

// Each matrix is divided by 2^s first, and its exponential squared s times.
Tensor exponential(const Tensor& a) {
  const NoGradGuard no_grad;
  if (a.numel() == 0 || a.is_meta()) return a.clone();
  // Scaled, because a sum may leave the range; numbers that vanish need no step.
  constexpr int kExponent = 64;
  const Tensor norms = (a.abs() * std::ldexp(1.0, -kExponent)).sum(-2).amax(-1);
  const Tensor ratio = where(norms.isfinite(), norms / largest_norm(a.dtype()), zeros_like(norms));
  const Tensor steps = (ratio.log() / std::log(2.0) + kExponent).ceil().clamp_min(0);
  const Tensor scale = full_like(steps, 0.5).pow(steps);
  Tensor result = taylor(a * detail::as_matrices(scale));
  const auto most = static_cast<std::int64_t>(steps.max().item<double>());
  for (std::int64_t i = 0; i < most; ++i) {
    result = where(detail::as_matrices(steps.gt(i)), result.matmul(result), result);
  }
  return result;
}

Tensor exponential_of(const Tensor& a) {
  TERN_CHECK(is_floating_point(a.dtype()), NotImplementedError,
             "Expected a floating point or complex tensor as input. Got ", a.scalar_type());
  detail::check_is_matrix("A", a);
  TERN_CHECK(a.size(-1) == a.size(-2), ShapeError,
             "A must be batches of square matrices, but they are ", a.size(-2), " by ", a.size(-1),
             " matrices");
  const bool is_narrow = a.dtype() != kFloat && a.dtype() != kDouble;
  Tensor out =
      is_narrow ? exponential(a.detach().to(kFloat)).to(a.dtype()) : exponential(a.detach());
  if (!needs_grad(a)) return out;
  // The exponential of [[a^T, g], [0, a^T]] has the gradient in its upper right corner (Al-Mohy and
  // Higham, 2009).
  return record(
      "LinalgMatrixExpBackward0", out,
      wrt(
          a,
          [](const Tensor& g, const Tensor& matrix) {
            const Tensor t = matrix.mT();
            const Tensor top = cat({t, g}, -1), bottom = cat({zeros_like(t), t}, -1);
            const std::int64_t n = matrix.size(-1);
            return linalg_matrix_exp(cat({top, bottom}, -2)).narrow(-2, 0, n).narrow(-1, n, n);
          },
          a));
}

}  // namespace

Tensor linalg_matrix_exp(const Tensor& A) {
  TERN_OP("linalg_matrix_exp", A);
  return exponential_of(A);
}

Tensor matrix_exp(const Tensor& self) {
  TERN_OP("matrix_exp", self);
  return exponential_of(self);
}

Tensor linalg_tensorinv(const Tensor& A, StrictInt ind) {
  TERN_OP("linalg_tensorinv", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_tensorinv, A, ind);
  TERN_CHECK(ind > 0, Error, "Expected a strictly positive integer for 'ind', but got ", ind);
  TERN_CHECK(ind <= A.dim(), Error, "Expected 'ind' to be at most the number of dimensions ",
             A.dim(), ", but got ", ind);
  const auto first = static_cast<std::size_t>(static_cast<std::int64_t>(ind));
  const IntArrayRef rows = A.sizes().slice(0, first);
  const IntArrayRef columns = A.sizes().slice(first, A.sizes().size() - first);
  TERN_CHECK(count_of(rows) == count_of(columns), ShapeError,
             "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
             "prod(self.shape[:ind]), but got ",
             count_of(columns), " != ", count_of(rows));
  DimVector sizes(columns);
  for (const std::int64_t size : rows) sizes.push_back(size);
  // Column by column in memory, as PyTorch's result.
  const Tensor matrix = A.reshape({count_of(rows), count_of(columns)});
  return linalg_inv(matrix.mT()).mT().reshape(sizes);
}

Tensor linalg_tensorsolve(const Tensor& A, const Tensor& B, OptionalIntArrayRef dims) {
  TERN_OP("linalg_tensorsolve", A, B);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_tensorsolve, A, B, dims);
  Tensor a = A;
  if (dims) {
    DimVector order, last;
    for (const std::int64_t dim : *dims) last.push_back(wrap_dim(dim, A.dim()));
    for (std::int64_t d = 0; d < A.dim(); ++d) {
      if (std::find(last.begin(), last.end(), d) == last.end()) order.push_back(d);
    }
    for (const std::int64_t d : last) order.push_back(d);
    a = A.permute(order);
  }
  TERN_CHECK(B.dim() <= a.dim(), ShapeError, "B has more dimensions than A: ", B.dim(), " and ",
             a.dim());
  const auto first = static_cast<std::size_t>(B.dim());
  const DimVector result(a.sizes().slice(first, a.sizes().size() - first));
  const std::int64_t columns = count_of(result), rows = count_of(a.sizes().slice(0, first));
  TERN_CHECK(columns == rows, ShapeError,
             "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
             "prod(self.shape[:other.ndim]), but got ",
             columns, " != ", rows);
  TERN_CHECK(B.numel() == rows, ShapeError, "B must have ", rows, " elements, got sizes ",
             B.sizes());
  return linalg_solve(a.reshape({rows, columns}), B.flatten()).reshape(result);
}

Tensor linalg_vander(const Tensor& x, std::optional<StrictInt> N) {
  TERN_OP("linalg_vander", x);
  TERN_CHECK(x.dtype() != kBool && x.dtype() != kHalf && x.dtype() != kBFloat16,
             NotImplementedError, "supports floating point, complex, and integer tensors, but got ",
             x.scalar_type());
  const Tensor all = x.dim() == 0 ? x.unsqueeze(-1) : x;
  const std::int64_t count = N ? static_cast<std::int64_t>(*N) : all.size(-1);
  TERN_CHECK(count > 1, Error, "N must be greater than 1, got ", count);
  return vandermonde(all, count);
}

Tensor vander(const Tensor& x, std::optional<StrictInt> N, StrictBool increasing) {
  TERN_OP("vander", x);
  TERN_CHECK(x.dim() == 1, ShapeError, "x must be a one-dimensional tensor, got ", x.dim(),
             " dimensions, sizes ", x.sizes());
  const std::int64_t count = N ? static_cast<std::int64_t>(*N) : x.size(0);
  TERN_CHECK(count >= 0, Error, "N must be non-negative, got ", count);
  const Tensor result = vandermonde(x, count);
  return increasing ? result : reversed(result);
}

}  // namespace tern
