// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Pseudoinverse, rank, least squares.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

double epsilon_of(ScalarType dtype) {
  return dtype == kDouble ? std::numeric_limits<double>::epsilon()
                          : static_cast<double>(std::numeric_limits<float>::epsilon());
}

// Which singular values count as 0.
struct Tolerance {
  std::optional<double> atol, rtol;

  // Returns the bound [..., 1] for the values [..., k].
  Tensor bound(const Tensor& values, const Tensor& a) const {
    const double size = static_cast<double>(std::max(a.size(-1), a.size(-2)));
    const double relative = rtol.value_or(atol.value_or(0) > 0 ? 0 : epsilon_of(a.dtype()) * size);
    return (values.amax(-1, true) * relative).clamp_min(atol.value_or(0));
  }
};

Tensor pinv_without_history(const Tensor& a, const Tolerance& tolerance, bool hermitian) {
  const NoGradGuard no_grad;
  detail::check_matrices(a);
  if (a.numel() == 0) {
    if (hermitian) detail::check_square(a);
    return zeros(detail::with_matrix(detail::batch_of(a), a.size(-1), a.size(-2)), a.options());
  }
  if (hermitian) {
    const auto [values, vectors] = linalg_eigh(a.detach());
    const Tensor sizes = values.abs(), is_zero = sizes.le(tolerance.bound(sizes, a));
    const Tensor inverse = values.masked_fill(is_zero, 1).reciprocal().masked_fill(is_zero, 0);
    return (vectors * inverse.unsqueeze(-2)).matmul(vectors.mT());
  }
  const std::tuple<Tensor, Tensor, Tensor> factors = linalg_svd(a.detach(), false);
  const auto& [u, s, vt] = factors;
  const Tensor is_zero = s.le(tolerance.bound(s, a));
  const Tensor inverse = s.masked_fill(is_zero, 1).reciprocal().masked_fill(is_zero, 0);
  return (vt.mT() * inverse.unsqueeze(-2)).matmul(u.mT());
}

// The gradient of `a` for the gradient g of its pseudoinverse p (Golub and Pereyra, "The
// differentiation of pseudo-inverses", 1973).
Tensor pinv_gradient(const Tensor& a, const Tensor& p, const Tensor& g) {
  const Tensor pt = p.mT(), gt = g.mT();
  const Tensor first = -pt.matmul(g).matmul(pt);
  const Tensor left = gt.matmul(p).matmul(pt), right = pt.matmul(p).matmul(gt);
  return first + left - a.matmul(p).matmul(left) + right - right.matmul(p).matmul(a);
}

Tensor pinv_of(const Tensor& a, const Tolerance& tolerance, bool hermitian) {
  Tensor out = pinv_without_history(a, tolerance, hermitian);
  if (!needs_grad(a)) return out;
  return record("LinalgPinvBackward0", out,
                wrt(
                    a,
                    [](const Tensor& g, const Tensor& matrix, const Tensor& p) {
                      return pinv_gradient(matrix, p, g);
                    },
                    a, out));
}

Tensor rank_of(const Tensor& a, const Tolerance& tolerance, bool hermitian) {
  const NoGradGuard no_grad;
  detail::check_matrices(a);
  if (hermitian) detail::check_square(a);
  if (a.numel() == 0) {
    return zeros(detail::batch_of(a), TensorOptions(kLong).device(a.device()));
  }
  const Tensor values = hermitian ? linalg_eigvalsh(a.detach()).abs() : linalg_svdvals(a.detach());
  return values.gt(tolerance.bound(values, a)).to(kLong).sum(-1);
}

// LAPACK's drivers for least squares problems.
enum class Driver { kGels, kGelsy, kGelsd, kGelss };

Driver driver_of(std::string_view name) {
  if (name == "gels") return Driver::kGels;
  if (name == "gelsy") return Driver::kGelsy;
  if (name == "gelsd") return Driver::kGelsd;
  TERN_CHECK(name == "gelss", Error,
             "parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got ", name);
  return Driver::kGelss;
}

bool returns_singular_values(Driver driver) {
  return driver == Driver::kGelsd || driver == Driver::kGelss;
}

// A matrix has full rank beyond doubt if no element on the diagonal of r is small.
bool has_full_rank(const Tensor& r) {
  const Tensor sizes = detail::diagonal_of(r).abs();
  const double bound = std::sqrt(epsilon_of(r.dtype()));
  return sizes.amin(-1).gt(sizes.amax(-1) * bound).all().item<bool>();
}

// Throws Error if a diagonal element of r, the triangular factor of kGels, is 0 up to rounding. A
// matrix of zeros passes, as in LAPACK.
void require_full_rank(const Tensor& r) {
  const Tensor sizes = detail::diagonal_of(r).abs();
  const Tensor is_zero = sizes.le(sizes.amax(-1, true) * epsilon_of(r.dtype()));
  const Tensor place = std::get<1>(is_zero.to(kByte).max(-1)) + 1;
  const Tensor is_singular = logical_and(is_zero.any(-1), sizes.ne(0).any(-1));
  const detail::Failure failure = detail::first_failure(where(is_singular, place, 0));
  TERN_CHECK(failure.info == 0, Error, failure.batch,
             "The least squares solution could not be computed because the input matrix does not "
             "have full rank (error code: ",
             failure.info, ").");
}

struct LeastSquares {
  Tensor solution, rank, singular_values;
};

// Solves one problem as gelsy does. Sorts the columns of `a`: the next column is the remaining one
// with the longest part orthogonal to the columns before it. The rank is the size of the largest
// leading block of r whose smallest singular value is at least rcond times its largest; the rows of
// r below the block count as 0.
LeastSquares solve_with_pivots(const Tensor& a, const Tensor& b, double rcond) {
  const std::int64_t n = a.size(1), k = std::min(a.size(0), n);
  std::vector<std::int64_t> order;
  Tensor lengths = norm(a, 2, {0}, false), rest = a;
  for (std::int64_t i = 0; i < n; ++i) {
    order.push_back(lengths.argmax().item<std::int64_t>());
    const Tensor column = rest.select(1, order.back()), length = norm(column);
    const Tensor unit = column / length.masked_fill(length == 0, 1);
    rest = rest - outer(unit, unit.matmul(rest));
    lengths = norm(rest, 2, {0}, false).index_fill(0, tensor(order, kLong).to(a.device()), -1);
  }
  const Tensor columns = tensor(order, kLong).to(a.device());
  const auto [q, r] = linalg_qr(a.index_select(1, columns));
  const auto keeps_ratio = [&, &factor = r](std::int64_t size) {
    const Tensor values = linalg_svdvals(factor.narrow(0, 0, size).narrow(1, 0, size));
    return (values[0] * rcond <= values[size - 1]).item<bool>();
  };
  std::int64_t rank = (r[0][0] != 0).item<bool>() ? 1 : 0;
  for (std::int64_t beyond = k + 1; rank > 0 && beyond - rank > 1;) {
    const std::int64_t middle = (rank + beyond) / 2;
    (keeps_ratio(middle) ? rank : beyond) = middle;
  }
  LeastSquares result;
  result.rank = full({}, rank, TensorOptions(kLong).device(a.device()));
  result.solution = zeros({n, b.size(1)}, a.options());
  if (rank == 0) return result;
  // The shortest x for which the rows of r that count give the right side.
  const auto [z, t] = linalg_qr(r.narrow(0, 0, rank).mT());
  const Tensor right = q.narrow(1, 0, rank).mT().matmul(b);
  const Tensor sorted = z.matmul(linalg_solve_triangular(t.mT(), right, false));
  result.solution.index_copy_(0, columns, sorted);
  return result;
}

// Does the same for each matrix of a batch.
LeastSquares solve_each_with_pivots(const Tensor& a, const Tensor& b, double rcond) {
  const IntArrayRef batch = detail::batch_of(a);
  const Tensor matrices = a.reshape({-1, a.size(-2), a.size(-1)});
  const Tensor right = b.reshape({-1, b.size(-2), b.size(-1)});
  std::vector<Tensor> solutions, ranks;
  for (std::int64_t i = 0; i < matrices.size(0); ++i) {
    const LeastSquares each = solve_with_pivots(matrices[i], right[i], rcond);
    solutions.push_back(each.solution);
    ranks.push_back(each.rank);
  }
  return {stack(solutions).reshape(detail::with_matrix(batch, a.size(-1), b.size(-1))),
          stack(ranks).reshape(batch),
          {}};
}

// Solves without history; b is a batch of matrices.
LeastSquares solve_least_squares(const Tensor& a, const Tensor& b, std::optional<double> rcond,
                                 Driver driver) {
  const std::int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  const bool has_values = returns_singular_values(driver);
  LeastSquares result;
  if (a.numel() == 0 || b.numel() == 0) {
    result.solution = zeros(detail::with_matrix(detail::batch_of(a), n, b.size(-1)), a.options());
  }
  const double epsilon = epsilon_of(a.dtype());
  // As in LAPACK, a negative rcond stands for the epsilon of the dtype. For gelsd, 0 and numbers
  // from 1 on do so, too.
  const bool is_epsilon = rcond && ((has_values && *rcond < 0) ||
                                    (driver == Driver::kGelsd && (*rcond == 0 || *rcond >= 1)));
  const Tolerance tolerance{
      std::nullopt,
      is_epsilon ? epsilon : rcond.value_or(epsilon * static_cast<double>(std::max(m, n)))};
  if (!result.solution.defined() && !has_values) {
    const auto [q, r] = linalg_qr(m >= n ? a : a.mT());
    bool is_full = true;
    if (driver == Driver::kGels) {
      require_full_rank(r);
    } else if (!a.is_meta() && rcond) {
      const Tensor values = linalg_svdvals(r);
      const Tensor largest = values.amax(-1), keeps = values.amin(-1).ge(largest * *rcond);
      is_full = keeps.logical_and(largest.gt(0)).all().item<bool>();
    } else if (!a.is_meta()) {
      is_full = has_full_rank(r);
    }
    if (!is_full && rcond) return solve_each_with_pivots(a, b, *rcond);
    if (is_full && m >= n) {
      result.solution = linalg_solve_triangular(r, q.mT().matmul(b), true);
    } else if (is_full) {
      result.solution = q.matmul(linalg_solve_triangular(r.mT(), b, false));
    }
    if (driver == Driver::kGels) {  // as in LAPACK, a matrix of zeros has the solution 0
      const Tensor is_zero = a.eq(0).all({-2, -1}, true);
      result.solution = result.solution.masked_fill(is_zero, 0);
    }
    if (is_full) {
      result.rank = full(detail::batch_of(a), k, TensorOptions(kLong).device(a.device()));
      return result;
    }
  }
  if (has_values) result.singular_values = linalg_svdvals(a);
  if (driver != Driver::kGels) result.rank = rank_of(a, tolerance, false);
  if (!result.solution.defined()) {
    result.solution = pinv_without_history(a, tolerance, false).matmul(b);
  }
  return result;
}

// Drops a last dimension of size 1. No view: nobody else holds the elements.
Tensor without_last_dimension(const Tensor& x) {
  const Tensor dense = x.contiguous();
  const DimVector sizes(x.sizes().slice(0, x.sizes().size() - 1));
  return detail::make_alias(dense, sizes, contiguous_strides(sizes), dense.storage_offset());
}

// The gradients of the matrices and the right hand sides for those of solution and residuals.
std::vector<Tensor> lstsq_gradients(const std::vector<Tensor>& g, const std::vector<Tensor>& saved,
                                    const DimVector& batch, bool is_vector) {
  const auto column = [&](const Tensor& x) { return is_vector ? x.unsqueeze(-1) : x; };
  const auto all = [&](const Tensor& x) {
    return x.expand(detail::with_matrix(batch, x.size(-2), x.size(-1)));
  };
  const Tensor a = all(saved[0]), b = all(column(saved[1])), x = column(saved[2]);
  Tensor ga, gb;
  const auto add = [](Tensor& sum, const Tensor& part) { sum = sum.defined() ? sum + part : part; };
  if (g[0].defined()) {
    const Tensor p = linalg_pinv(a), gx = column(g[0]);
    add(gb, p.mT().matmul(gx));
    add(ga, pinv_gradient(a, p, gx.matmul(b.mT())));
  }
  if (g[1].defined() && g[1].numel() != 0) {
    const Tensor error = (a.matmul(x) - b) * 2 * column(g[1]).unsqueeze(-2);
    add(gb, -error);
    add(ga, error.matmul(x.mT()));
  }
  if (!ga.defined()) ga = zeros_like(a), gb = zeros_like(b);
  return {ga.sum_to_size(saved[0].sizes()),
          (is_vector ? gb.squeeze(-1) : gb).sum_to_size(saved[1].sizes())};
}

}  // namespace

Tensor linalg_pinv(const Tensor& A, std::optional<double> atol, std::optional<double> rtol,
                   StrictBool hermitian) {
  TERN_OP("linalg_pinv", A);
  TERN_AUTOCAST_INNER_OPS();
  return pinv_of(A, {atol, rtol}, hermitian);
}

Tensor linalg_pinv(const Tensor& A, double rcond, StrictBool hermitian) {
  TERN_OP("linalg_pinv", A);
  TERN_AUTOCAST_INNER_OPS();
  return pinv_of(A, {0.0, rcond}, hermitian);
}

Tensor pinverse(const Tensor& self, double rcond) {
  TERN_OP("pinverse", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, pinverse, self, rcond);
  return pinv_of(self, {0.0, rcond}, false);
}

Tensor linalg_matrix_rank(const Tensor& A, std::optional<double> atol, std::optional<double> rtol,
                          StrictBool hermitian) {
  TERN_OP("linalg_matrix_rank", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_matrix_rank, A, atol, rtol, hermitian);
  return rank_of(A, {atol, rtol}, hermitian);
}

Tensor linalg_matrix_rank(const Tensor& A, double tol, StrictBool hermitian) {
  TERN_OP("linalg_matrix_rank", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_matrix_rank, A, tol, hermitian);
  return rank_of(A, {tol, 0.0}, hermitian);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& A, const Tensor& B,
                                                        std::optional<double> rcond,
                                                        std::optional<std::string_view> driver) {
  TERN_OP("linalg_lstsq", A, B);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_lstsq, A, B, rcond, driver);
  detail::check_same_device("linalg_lstsq", {&A, &B}, {"input", "other"});
  TERN_CHECK(A.dim() >= 2, ShapeError, "input must have at least 2 dimensions, got sizes ",
             A.sizes());
  detail::check_matrices(A);
  TERN_CHECK(B.dim() >= 1, ShapeError, "other must have at least 1 dimension, got sizes ",
             B.sizes());
  TERN_CHECK(A.dtype() == B.dtype(), DTypeError,
             "Expected input and other to have the same dtype, but got input's dtype ",
             A.scalar_type(), " and other's dtype ", B.scalar_type());
  TERN_CHECK(A.dim() >= B.dim() && A.dim() - B.dim() <= 1, ShapeError,
             "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
             "<= 1, got sizes ",
             A.sizes(), " and ", B.sizes());
  const Driver algorithm = driver_of(driver.value_or("gelsy"));
  const bool is_vector = A.dim() - 1 == B.dim();
  const Tensor b = is_vector ? B.unsqueeze(-1) : B;
  const std::int64_t m = A.size(-2), n = A.size(-1);
  TERN_CHECK(m == b.size(-2), ShapeError, "input.size(-2) should match other.size(-",
             is_vector ? 1 : 2, "), got ", m, " and ", b.size(-2));
  const DimVector batch = broadcast_sizes(detail::batch_of(A), detail::batch_of(b));
  const Tensor a_all = A.detach().expand(detail::with_matrix(batch, m, n));
  const Tensor b_all = b.detach().expand(detail::with_matrix(batch, m, b.size(-1)));
  const bool has_values = returns_singular_values(algorithm);
  const bool has_rank = algorithm != Driver::kGels;
  LeastSquares result;
  Tensor residuals;
  {
    const NoGradGuard no_grad;
    result = solve_least_squares(a_all, b_all, rcond, algorithm);
    const bool is_full =
        m > n && algorithm != Driver::kGelsy && (!has_rank || result.rank.eq(n).all().item<bool>());
    residuals = is_full ? (a_all.matmul(result.solution) - b_all).square().sum(-2)
                        : detail::make_tensor({0}, A.dtype(), A.device());
    if (is_vector) {
      result.solution = without_last_dimension(result.solution);
      if (is_full) residuals = without_last_dimension(residuals);
    }
  }
  if (!has_rank) result.rank = detail::make_tensor({0}, kLong, A.device());
  if (!has_values) result.singular_values = detail::make_tensor({0}, A.dtype(), A.device());
  if (needs_grad(A, B)) {
    detail::record_outputs("LinalgLstsqBackward0", {&result.solution, &residuals}, {&A, &B},
                           {&A, &B, &result.solution},
                           [=](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
                             return lstsq_gradients(g, saved, batch, is_vector);
                           });
  }
  return {result.solution, residuals, result.rank, result.singular_values};
}

}  // namespace tern
