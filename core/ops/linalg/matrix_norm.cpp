// Compiled for size.

#include <cmath>
#include <limits>
#include <string>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Norms of matrices and condition numbers.

namespace tern {
namespace {

// A norm by its name or number.
struct Order {
  enum Kind { kFrobenius, kNuclear, kTwo, kOne, kInfinity } kind;
  bool is_smallest = false;  // of the negative orders

  explicit Order(std::string_view name) : kind(name == "nuc" ? kNuclear : kFrobenius) {
    TERN_CHECK(name == "fro" || name == "nuc", Error, "Order ", name, " not supported.");
  }
  explicit Order(const Scalar& number) {
    const double p = number.toDouble(), size = std::abs(p);
    TERN_CHECK(size == 1 || size == 2 || std::isinf(p), Error, "Order ", p, " not supported.");
    kind = size == 1 ? kOne : size == 2 ? kTwo : kInfinity;
    is_smallest = p < 0;
  }
  bool has_singular_values() const { return kind == kNuclear || kind == kTwo; }
};

Tensor extreme(const Tensor& values, std::int64_t dim, bool keepdim, bool is_smallest) {
  // The largest of no norms is 0, the smallest is an error.
  if (!is_smallest && values.size(dim) == 0) return values.sum(dim, keepdim);
  return is_smallest ? values.amin(dim, keepdim) : values.amax(dim, keepdim);
}

Tensor norm_of_matrices(const Tensor& given, const Order& order, IntArrayRef dim, bool keepdim,
                        std::optional<ScalarType> dtype) {
  TERN_CHECK(is_floating_point(given.dtype()), NotImplementedError,
             "Expected a floating point or complex tensor as input. Got ", given.scalar_type());
  detail::check_is_matrix("A", given);
  TERN_CHECK(dim.size() == 2, Error, "dim must be a 2-tuple. Got ", dim);
  const std::int64_t row = wrap_dim(dim[0], given.dim()), column = wrap_dim(dim[1], given.dim());
  TERN_CHECK(row != column, Error, "dims must be different. Got (", dim[0], ", ", dim[1], ")");
  if (dtype) {
    TERN_CHECK(is_floating_point(*dtype), DTypeError,
               "dtype should be floating point or complex, but got ", *dtype);
    TERN_CHECK(promote_types(given.dtype(), *dtype) == *dtype, DTypeError,
               "the dtype of the input (", given.scalar_type(),
               ") should be convertible without narrowing to the specified dtype (", *dtype, ")");
  }
  const Tensor a = dtype ? given.to(*dtype) : given;
  if (order.kind == Order::kFrobenius) return norm(a, 2, {row, column}, keepdim);
  if (!order.has_singular_values()) {
    // The sums of columns, of which one is the norm; without keepdim, dimensions behind the
    // summed one move.
    const bool by_columns = order.kind == Order::kOne;
    const std::int64_t summed = by_columns ? row : column, other = by_columns ? column : row;
    const std::int64_t left = !keepdim && other > summed ? other - 1 : other;
    return extreme(a.abs().sum(summed, keepdim), left, keepdim, order.is_smallest);
  }
  TERN_CHECK(a.dtype() == kFloat || a.dtype() == kDouble, NotImplementedError,
             "Low precision dtypes not supported. Got ", a.scalar_type());
  DimVector order_of_dims;
  for (std::int64_t d = 0; d < a.dim(); ++d) {
    if (d != row && d != column) order_of_dims.push_back(d);
  }
  order_of_dims.push_back(row);
  order_of_dims.push_back(column);
  const Tensor values = linalg_svdvals(a.permute(order_of_dims));
  // Without singular values the norm is 0.
  const bool is_sum = order.kind == Order::kNuclear || values.size(-1) == 0;
  Tensor result =
      is_sum ? values.sum(-1, keepdim) : extreme(values, -1, keepdim, order.is_smallest);
  if (!keepdim) return result;
  DimVector places(order_of_dims);  // the inverse of the permutation
  for (std::size_t i = 0; i < order_of_dims.size(); ++i) {
    places[static_cast<std::size_t>(order_of_dims[i])] = static_cast<std::int64_t>(i);
  }
  return result.unsqueeze(-1).permute(places);
}

// NaN becomes infinity: the number of a singular matrix.
Tensor nan_to_infinity(const Tensor& x) {
  const Tensor is_nan = x.detach().ne(x.detach());
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = x.detach().masked_fill(is_nan, std::numeric_limits<double>::infinity());
  }
  if (!autograd::needs_grad(x)) return out;
  return autograd::record(
      "NanToNumBackward0", out,
      autograd::wrt(
          x, [](const Tensor& g, const Tensor& was_nan) { return g.masked_fill(was_nan, 0); },
          is_nan));
}

Tensor cond_by_inverse(const Tensor& a, const Order& order) {
  detail::check_square(a);
  if (a.numel() == 0) return zeros(detail::batch_of(a), a.options());
  const Tensor inverse = std::get<0>(detail::inverse_and_info(a));
  const auto size = [&](const Tensor& x) {
    return norm_of_matrices(x, order, {-2, -1}, false, std::nullopt);
  };
  return nan_to_infinity(size(a) * size(inverse));
}

Tensor cond_by_values(const Tensor& a, bool is_smallest) {
  detail::check_matrices(a);
  if (a.numel() == 0) return zeros(detail::batch_of(a), a.options());
  const Tensor values = linalg_svdvals(a);
  const Tensor largest = values.narrow(-1, 0, 1), smallest = values.narrow(-1, -1, 1);
  return (is_smallest ? smallest / largest : largest / smallest).squeeze(-1);
}

// Throws unless `dim` names vectors or matrices. Returns whether they are matrices.
bool names_matrices(const Tensor& a, const OptionalIntArrayRef& dim) {
  if (dim) {
    TERN_CHECK(dim->size() == 1 || dim->size() == 2, Error,
               "If dim is specified, it must be of length 1 or 2. Got ", *dim);
    return dim->size() == 2;
  }
  TERN_CHECK(a.dim() == 1 || a.dim() == 2, Error,
             "If dim is not specified but ord is, the input must be 1D or 2D. Got ", a.dim(), "D.");
  return a.dim() == 2;
}

}  // namespace

Tensor linalg_norm(const Tensor& A, const std::optional<Scalar>& ord, OptionalIntArrayRef dim,
                   StrictBool keepdim, std::optional<ScalarType> dtype) {
  TERN_OP("linalg_norm", A);
  TERN_AUTOCAST_INNER_OPS();
  if (ord || dim) {
    const bool has_matrices = names_matrices(A, dim);
    if (ord && has_matrices) {
      return norm_of_matrices(A, Order(*ord), dim.value_or(IntArrayRef{0, 1}), keepdim, dtype);
    }
  }
  return linalg_vector_norm(A, ord.value_or(Scalar(2)), dim.value_or(IntArrayRef{}), keepdim,
                            dtype);
}

Tensor linalg_norm(const Tensor& A, std::string_view ord, OptionalIntArrayRef dim,
                   StrictBool keepdim, std::optional<ScalarType> dtype) {
  TERN_OP("linalg_norm", A);
  TERN_AUTOCAST_INNER_OPS();
  if (dim || A.dim() != 1) names_matrices(A, dim);
  return norm_of_matrices(A, Order(ord), dim.value_or(IntArrayRef{0, 1}), keepdim, dtype);
}

Tensor linalg_matrix_norm(const Tensor& A, std::string_view ord, IntArrayRef dim,
                          StrictBool keepdim, std::optional<ScalarType> dtype) {
  TERN_OP("linalg_matrix_norm", A);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, linalg_matrix_norm, A, ord, dim, keepdim, dtype);
  return norm_of_matrices(A, Order(ord), dim, keepdim, dtype);
}

Tensor linalg_matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim, StrictBool keepdim,
                          std::optional<ScalarType> dtype) {
  TERN_OP("linalg_matrix_norm", A);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, linalg_matrix_norm, A, ord, dim, keepdim, dtype);
  return norm_of_matrices(A, Order(ord), dim, keepdim, dtype);
}

Tensor linalg_cond(const Tensor& A, const std::optional<Scalar>& p) {
  TERN_OP("linalg_cond", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_cond, A, p);
  const Order order(p.value_or(Scalar(2)));
  if (order.kind == Order::kTwo) return cond_by_values(A, order.is_smallest);
  return cond_by_inverse(A, order);
}

Tensor linalg_cond(const Tensor& A, std::string_view p) {
  TERN_OP("linalg_cond", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_cond, A, p);
  const Order order(p);
  if (order.kind == Order::kFrobenius) return cond_by_inverse(A, order);
  detail::check_square(A);
  if (A.numel() == 0) return zeros(detail::batch_of(A), A.options());
  const Tensor values = linalg_svdvals(A);
  return values.sum(-1) * values.reciprocal().sum(-1);
}

}  // namespace tern
