// Compiled for size.

#include <algorithm>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Products over chosen dimensions, as one product of matrices where there is a sum.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

void check_vector(const char* argument, const Tensor& tensor) {
  TERN_CHECK(tensor.dim() == 1, ShapeError, "Expected 1-D argument ", argument, ", but got ",
             tensor.dim(), "-D");
}

void check_square_matrices(const Tensor& a) {
  TERN_CHECK(a.dim() >= 2, ShapeError, "The input tensor A must have at least 2 dimensions.");
  TERN_CHECK(a.size(-1) == a.size(-2), ShapeError,
             "A must be batches of square matrices, but they are ", a.size(-2), " by ", a.size(-1),
             " matrices");
}

// Returns wrapped dimensions and throws Error for one that occurs twice.
DimVector distinct_dims(IntArrayRef dims, std::int64_t rank) {
  DimVector wrapped;
  for (const std::int64_t dim : dims) {
    const std::int64_t d = wrap_dim(dim, rank);
    for (const std::int64_t before : wrapped) {
      TERN_CHECK(before != d, Error, "dim ", d, " appears multiple times in the list of dims");
    }
    wrapped.push_back(d);
  }
  return wrapped;
}

bool contains(const DimVector& dims, std::int64_t dim) {
  for (const std::int64_t d : dims) {
    if (d == dim) return true;
  }
  return false;
}

std::int64_t product_of(const DimVector& sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

Tensor tensordot_over(const Tensor& input, const Tensor& other, IntArrayRef dims_self,
                      IntArrayRef dims_other) {
  TERN_CHECK(dims_self.size() == dims_other.size(), Error,
             "both dimension lists should have same length, got ", dims_self.size(), " and ",
             dims_other.size());
  TERN_CHECK(input.dtype() == other.dtype(), DTypeError,
             "both inputs should have same dtype, but got ", input.scalar_type(), " and ",
             other.scalar_type());
  for (const Tensor* tensor : {&input, &other}) {
    TERN_CHECK(static_cast<std::int64_t>(dims_self.size()) <= tensor->dim(), ShapeError, "got ",
               dims_self.size(), " dims to contract for a tensor of sizes ", tensor->sizes());
  }
  const DimVector left_dims = distinct_dims(dims_self, input.dim());
  const DimVector right_dims = distinct_dims(dims_other, other.dim());
  Tensor left = input, right = other;
  DimVector inner;
  for (std::size_t i = 0; i < left_dims.size(); ++i) {
    const std::int64_t m = input.size(left_dims[i]), n = other.size(right_dims[i]);
    TERN_CHECK(m == n || m == 1 || n == 1, ShapeError,
               "contracted dimensions need to match, but first has size ", m, " in dim ",
               dims_self[i], " and second has size ", n, " in dim ", dims_other[i]);
    if (m != n && m == 1) right = right.sum(right_dims[i], true, right.dtype());
    if (m != n && n == 1) left = left.sum(left_dims[i], true, left.dtype());
    inner.push_back(m == n ? m : 1);
  }
  DimVector left_order, right_order = right_dims, rows, columns;
  for (std::int64_t d = 0; d < input.dim(); ++d) {
    if (contains(left_dims, d)) continue;
    left_order.push_back(d);
    rows.push_back(input.size(d));
  }
  for (const std::int64_t d : left_dims) left_order.push_back(d);
  for (std::int64_t d = 0; d < other.dim(); ++d) {
    if (contains(right_dims, d)) continue;
    right_order.push_back(d);
    columns.push_back(other.size(d));
  }
  const std::int64_t m = product_of(rows), k = product_of(inner), n = product_of(columns);
  const Tensor product =
      left.permute(left_order).reshape({m, k}).mm(right.permute(right_order).reshape({k, n}));
  DimVector sizes = rows;
  for (const std::int64_t size : columns) sizes.push_back(size);
  return product.reshape(sizes);
}

// Computes the cross products along `dim` without history.
Tensor cross_of(const Tensor& a, const Tensor& b, IntArrayRef sizes, std::int64_t dim) {
  const NoGradGuard no_grad;
  Tensor out = detail::make_tensor(sizes, a.dtype(), a.device());
  const Tensor x = a.detach().expand(sizes), y = b.detach().expand(sizes);
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    Tensor part = out.select(dim, i);
    part.copy_(x.select(dim, j) * y.select(dim, k));
    part.addcmul_(x.select(dim, k), y.select(dim, j), -1);
  }
  return out;
}

}  // namespace

Tensor outer(const Tensor& self, const Tensor& vec2) {
  TERN_OP("outer", self, vec2);
  check_vector("self", self);
  check_vector("vec2", vec2);
  return self.unsqueeze(1) * vec2;
}

Tensor inner(const Tensor& self, const Tensor& other) {
  TERN_OP("inner", self, other);
  TERN_AUTOCAST_IF(self.dim() != 0 && other.dim() != 0, kUnchanged, kWidest, inner, self, other);
  TERN_AUTOCAST_INNER_OPS();
  if (self.dim() == 0 || other.dim() == 0) return self * other;
  TERN_CHECK(self.size(-1) == other.size(-1), ShapeError,
             "the last dimension must match on both input tensors but got shapes ", self.sizes(),
             " and ", other.sizes());
  return tensordot_over(self, other, {-1}, {-1});
}

Tensor tensordot(const Tensor& input, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other) {
  TERN_OP("tensordot", input, other);
  TERN_AUTOCAST(kUnchanged, kWidest, tensordot, input, other, dims_self, dims_other);
  TERN_AUTOCAST_INNER_OPS();
  return tensordot_over(input, other, dims_self, dims_other);
}

Tensor tensordot(const Tensor& input, const Tensor& other, StrictInt dims) {
  TERN_OP("tensordot", input, other);
  TERN_AUTOCAST(kUnchanged, kWidest, tensordot, input, other, dims);
  TERN_AUTOCAST_INNER_OPS();
  TERN_CHECK(dims >= 0, Error, "tensordot expects dims >= 0, but got dims=", dims);
  TERN_CHECK(dims <= input.dim() && dims <= other.dim(), Error,
             "tensordot expects dims < ndim_a or ndim_b, but got dims=", dims,
             " for tensors of sizes ", input.sizes(), " and ", other.sizes());
  DimVector last, first;
  for (std::int64_t d = 0; d < dims; ++d) {
    last.push_back(d - dims);
    first.push_back(d);
  }
  return tensordot_over(input, other, last, first);
}

Tensor kron(const Tensor& self, const Tensor& other) {
  TERN_OP("kron", self, other);
  const std::int64_t rank = std::max(self.dim(), other.dim());
  DimVector left, right, sizes;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t i = d - (rank - self.dim()), j = d - (rank - other.dim());
    const std::int64_t m = i < 0 ? 1 : self.size(i), n = j < 0 ? 1 : other.size(j);
    for (const std::int64_t size : {m, std::int64_t{1}}) left.push_back(size);
    for (const std::int64_t size : {std::int64_t{1}, n}) right.push_back(size);
    TERN_CHECK(n == 0 || m <= std::numeric_limits<std::int64_t>::max() / n, ShapeError,
               "the result has too many elements: sizes ", self.sizes(), " and ", other.sizes());
    sizes.push_back(m * n);
  }
  const Tensor product = self.reshape(left) * other.reshape(right);
  return detail::unsafe_view("UnsafeViewBackward0", product.contiguous(), sizes);
}

Tensor linalg_cross(const Tensor& input, const Tensor& other, StrictInt dim) {
  TERN_OP("linalg_cross", input, other);
  detail::check_same_device("linalg_cross", {&input, &other}, {"input", "other"});
  TERN_CHECK(input.dim() == other.dim(), ShapeError,
             "inputs must have the same number of dimensions, got sizes ", input.sizes(), " and ",
             other.sizes());
  TERN_CHECK(input.dim() > 0, IndexError, "Dimension specified as ", dim,
             " but tensor has no dimensions");
  const std::int64_t d = wrap_dim(dim, input.dim());
  TERN_CHECK(input.size(d) == 3 && other.size(d) == 3, ShapeError, "inputs dimension ", dim,
             " must have length 3. Got ", input.size(d), " and ", other.size(d));
  TERN_CHECK(input.dtype() == other.dtype(), DTypeError, "expected scalar type ",
             input.scalar_type(), " but found ", other.scalar_type());
  TERN_CHECK(input.dtype() != kBool, NotImplementedError, "\"cross\" not implemented for 'Bool'");
  const DimVector sizes = broadcast_sizes(input.sizes(), other.sizes());
  Tensor out = cross_of(input, other, sizes, d);
  if (!needs_grad(input, other)) return out;
  return record(
      "LinalgCrossBackward0", out,
      wrt(
          input,
          [=](const Tensor& g, const Tensor& y) { return linalg_cross(y.expand(sizes), g, d); },
          other),
      wrt(
          other,
          [=](const Tensor& g, const Tensor& x) { return linalg_cross(g, x.expand(sizes), d); },
          input));
}

Tensor cross(const Tensor& self, const Tensor& other, std::optional<StrictInt> dim) {
  TERN_OP("cross", self, other);
  TERN_AUTOCAST(kUnchanged, kWidest, cross, self, other, dim);
  if (dim) return linalg_cross(self, other, *dim);
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) == 3) return linalg_cross(self, other, d);
  }
  TERN_CHECK(false, ShapeError, "no dimension of size 3 in input of sizes ", self.sizes());
  return {};
}

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, StrictInt dim) {
  TERN_OP("linalg_vecdot", x, y);
  TERN_AUTOCAST(kLower, kLower, linalg_vecdot, x, y, dim);
  TERN_CHECK(is_floating_point(x.dtype()), NotImplementedError,
             "Expected a floating point or complex tensor as input. Got ", x.scalar_type());
  TERN_CHECK(x.dtype() == y.dtype(), DTypeError,
             "Expected x and y to have the same dtype, but found x of type ", x.scalar_type(),
             " and y of type ", y.scalar_type(), " instead");
  return (x * y).sum(IntArrayRef({static_cast<std::int64_t>(dim)}));
}

namespace {

Tensor power_of(const Tensor& a, std::int64_t n) {
  check_square_matrices(a);
  if (n == 0) return a.clone().copy_(eye(a.size(-1), a.options()).expand(a.sizes()));
  const Tensor base = n < 0 ? linalg_inv(a) : a;
  // No negation: it overflows for the smallest number.
  std::uint64_t rest = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  if (rest == 1) return n < 0 ? base : base.clone();
  if (rest == 2) return base.matmul(base);
  if (rest == 3) return base.matmul(base).matmul(base);
  Tensor square, power;
  for (; rest > 0; rest /= 2) {
    square = square.defined() ? square.matmul(square) : base;
    if (rest % 2 == 1) power = power.defined() ? power.matmul(square) : square;
  }
  return power;
}

}  // namespace

Tensor matrix_power(const Tensor& self, StrictInt n) {
  TERN_OP("matrix_power", self);
  TERN_AUTOCAST_INNER_OPS();
  return power_of(self, n);
}

Tensor linalg_matrix_power(const Tensor& A, StrictInt n) {
  TERN_OP("linalg_matrix_power", A);
  TERN_AUTOCAST_INNER_OPS();
  return power_of(A, n);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias) {
  TERN_OP("bilinear", input1, input2, weight);
  TERN_AUTOCAST(kUnchanged, kWidest, bilinear, input1, input2, weight, bias);
  TERN_CHECK(input1.dtype() == input2.dtype() && input1.dtype() == weight.dtype(), DTypeError,
             "All tensors must have the same dtype, got input1: ", input1.scalar_type(),
             ", input2: ", input2.scalar_type(), ", weight: ", weight.scalar_type());
  TERN_CHECK(input1.dim() == input2.dim(), ShapeError, "input dimensions do not match: got ",
             input1.dim(), " and ", input2.dim());
  TERN_CHECK(weight.dim() == 3, ShapeError, "weight must have 3 dimensions, got sizes ",
             weight.sizes());
  TERN_CHECK(input1.dim() >= 1, ShapeError, "inputs must have at least 1 dimension");
  for (std::int64_t d = 0; d + 1 < input1.dim(); ++d) {
    TERN_CHECK(input1.size(d) == input2.size(d), ShapeError,
               "input batch dimensions do not match at dim ", d, ": got ", input1.size(d), " and ",
               input2.size(d));
  }
  const std::int64_t out = weight.size(0), m = weight.size(1), n = weight.size(2);
  TERN_CHECK(input1.size(-1) == m, ShapeError, "input1 size does not match weight size: got ",
             input1.size(-1), " but expected ", m);
  TERN_CHECK(input2.size(-1) == n, ShapeError, "input2 size does not match weight size: got ",
             input2.size(-1), " but expected ", n);
  TERN_CHECK(!bias.defined() || (bias.dim() > 0 && bias.size(0) == out), ShapeError,
             "bias size does not match weight size: got ",
             bias.defined() && bias.dim() > 0 ? bias.size(0) : 1, " but expected ", out);
  DimVector sizes(input1.sizes().slice(0, input1.sizes().size() - 1));
  const std::int64_t rows = product_of(sizes);
  sizes.push_back(out);
  const Tensor flat = weight.transpose(0, 1).reshape({m, out * n});
  const Tensor left = input1.reshape({rows, m}).mm(flat).reshape({rows, out, n});
  const Tensor result = left.bmm(input2.reshape({rows, n, 1})).reshape(sizes);
  return bias.defined() ? result + bias : result;
}

}  // namespace tern
