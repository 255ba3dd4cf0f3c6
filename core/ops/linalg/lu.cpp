// Compiled for size.

#include <algorithm>
#include <limits>
#include <utility>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// LU factorization and what follows from it.

namespace tern {

// Waits for the device.
Tensor detail::permute_rows(const Tensor& matrices, const Tensor& pivots, bool reverse) {
  if (matrices.is_meta()) return matrices.clone();
  const std::int64_t k = pivots.size(-1), m = matrices.size(-2);
  const Tensor host = pivots.detach().cpu().contiguous();
  const auto* const swaps = host.data_ptr<std::int32_t>();
  const std::int64_t count = k == 0 ? 0 : host.numel() / k;
  Tensor order =
      make_tensor(with_vector(host.sizes().slice(0, host.sizes().size() - 1), m), kLong, kCPU);
  auto* row = order.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < order.numel(); ++i) row[i] = i % m;
  for (std::int64_t i = 0; i < count; ++i, row += m) {
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t other = swaps[i * k + j] - 1;
      TERN_CHECK(other >= 0, Error,
                 "Pivots given to lu_solve must all be greater or equal to 1. Did you properly "
                 "pass the result of lu_factor?");
      TERN_CHECK(other < m, Error,
                 "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you "
                 "properly pass the result of lu_factor?");
      std::swap(row[j], row[other]);
    }
    if (!reverse) continue;
    std::vector<std::int64_t> inverse(static_cast<std::size_t>(m));
    for (std::int64_t j = 0; j < m; ++j) inverse[static_cast<std::size_t>(row[j])] = j;
    std::copy(inverse.begin(), inverse.end(), row);
  }
  const Tensor index = order.to(matrices.device()).unsqueeze(-1).expand(matrices.sizes());
  return matrices.gather(-2, index);
}

namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

struct LuFactors {
  Tensor lu, pivots, info;
};

LuFactors lu_factors(const char* name, const Tensor& a) {
  const NoGradGuard no_grad;
  const std::int64_t k = std::min(a.size(-2), a.size(-1));
  LuFactors result;
  result.lu = detail::make_tensor(a.sizes(), a.dtype(), a.device());
  result.pivots =
      detail::make_tensor(detail::with_vector(detail::batch_of(a), k), kInt, a.device());
  kernels::LinalgArgs args{};
  args.op = kernels::LinalgOp::kLu;
  args.out = result.lu.data_ptr();
  args.pivots = result.pivots.data_ptr<std::int32_t>();
  result.info = detail::run_linalg(name, args, a);
  return result;
}

void check_pivot(const Tensor& a, bool pivot) {
  TERN_CHECK(a.dim() >= 2, ShapeError,
             "Expected tensor with 2 or more dimensions. Got size: ", a.sizes(), " instead");
  detail::check_matrices(a);
  TERN_CHECK(pivot, NotImplementedError, "LU without pivoting is not implemented on the CPU");
}

// The mask of elements of an m by n matrix with column - row <= diagonal.
Tensor lower_part(const Tensor& x, std::int64_t diagonal) {
  const std::int64_t m = x.size(-2), n = x.size(-1), size = std::max(m, n);
  return x * detail::lower_mask(size, diagonal, x.options()).narrow(0, 0, m).narrow(1, 0, n);
}
Tensor upper_part(const Tensor& x) { return x - lower_part(x, -1); }

Tensor unit_lower(const Tensor& lu) {
  const std::int64_t k = std::min(lu.size(-2), lu.size(-1));
  const Tensor l = lower_part(lu.narrow(-1, 0, k), -1);
  const Tensor ones = eye(std::max(lu.size(-2), k), lu.options()).narrow(1, 0, k);
  return l + ones;
}

// The gradient of a for those of l and u, a = p l u. `l` and `u` may be wider than k: only their
// triangles are read. Solves A1 = L1 U1 for the leading block; the other block of u is L1^-1 A2,
// that of l is A2 U1^-1.
Tensor lu_gradient(const Tensor& l, const Tensor& u, const Tensor& gl, const Tensor& gu,
                   const Tensor& pivots) {
  const std::int64_t m = l.size(-2), n = u.size(-1), k = std::min(m, n);
  const Tensor l1 = l.narrow(-2, 0, k), u1 = u.narrow(-1, 0, k);
  Tensor gl1 = gl.narrow(-2, 0, k), gu1 = gu.narrow(-1, 0, k);
  const auto solve_left = [&](const Tensor& g) {  // l1^-T g
    return linalg_solve_triangular(l1.mT(), g, true, true, true);
  };
  const auto solve_right = [&](const Tensor& g) {  // g u1^-T
    return linalg_solve_triangular(u1.mT(), g, false, false);
  };
  Tensor rest;
  if (n > k) {
    rest = solve_left(gu.narrow(-1, k, n - k));
    gl1 = gl1 - rest.matmul(u.narrow(-1, k, n - k).mT());
  } else if (m > k) {
    rest = solve_right(gl.narrow(-2, k, m - k));
    gu1 = gu1 - l.narrow(-2, k, m - k).mT().matmul(rest);
  }
  const Tensor inner = lower_part(l1.mT().matmul(gl1), -1) + upper_part(gu1.matmul(u1.mT()));
  Tensor ga = solve_left(solve_right(inner));
  if (rest.defined()) ga = cat({ga, rest}, n > k ? -1 : -2);
  return detail::permute_rows(ga, pivots, /*reverse=*/true);
}

const Tensor& or_zeros(const Tensor& gradient, Tensor& space, const Tensor& like) {
  if (gradient.defined()) return gradient;
  space = zeros_like(like);
  return space;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, StrictBool pivot) {
  TERN_OP("linalg_lu", A);
  check_pivot(A, pivot);
  const LuFactors factors = lu_factors("linalg_lu", A.detach());
  const std::int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n);
  Tensor p, l, u;
  {
    const NoGradGuard no_grad;
    const DimVector square = detail::with_matrix(detail::batch_of(A), m, m);
    p = detail::permute_rows(eye(m, A.options()).expand(square).contiguous(), factors.pivots,
                             /*reverse=*/true);
    l = unit_lower(factors.lu).contiguous();
    // Elements that do not count may be NaN.
    const Tensor wide = factors.lu.narrow(-2, 0, k);
    const Tensor below =
        detail::lower_mask(std::max(k, n), -1, A.options()).narrow(0, 0, k).narrow(1, 0, n).ne(0);
    u = wide.masked_fill(below, 0);
  }
  if (needs_grad(A)) {
    detail::record_outputs(
        "LinalgLuBackward0", {&l, &u}, {&A}, {&l, &u, &factors.pivots},
        [](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
          Tensor none;
          const Tensor gl = or_zeros(g[0], none, saved[0]), gu = or_zeros(g[1], none, saved[1]);
          return std::vector<Tensor>{lu_gradient(saved[0], saved[1], gl, gu, saved[2])};
        });
  }
  return {p, l, u};
}

namespace {

LuFactors factored(const Tensor& A, bool pivot, bool check_errors) {
  check_pivot(A, pivot);
  LuFactors factors = lu_factors("linalg_lu_factor", A.detach());
  const detail::Failure failure =
      check_errors ? detail::first_failure(factors.info) : detail::Failure();
  TERN_CHECK(failure.info == 0, Error, failure.batch, "U[", failure.info, ",", failure.info,
             "] is zero and using it on lu_solve would result in a division by zero. If you still "
             "want to perform the factorization, consider calling linalg.lu(A, pivot)");
  if (needs_grad(A)) {
    detail::record_outputs(
        "LinalgLuFactorExBackward0", {&factors.lu}, {&A}, {&factors.lu, &factors.pivots},
        [](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
          const Tensor& lu = saved[0];
          const std::int64_t k = std::min(lu.size(-2), lu.size(-1));
          const Tensor l = unit_lower(lu), u = upper_part(lu.narrow(-2, 0, k));
          return std::vector<Tensor>{lu_gradient(l, u, lower_part(g[0].narrow(-1, 0, k), -1),
                                                 upper_part(g[0].narrow(-2, 0, k)), saved[1])};
        });
  }
  return factors;
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, StrictBool pivot) {
  TERN_OP("linalg_lu_factor", A);
  const LuFactors factors = factored(A, pivot, /*check_errors=*/true);
  return {factors.lu, factors.pivots};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, StrictBool pivot,
                                                       StrictBool check_errors) {
  TERN_OP("linalg_lu_factor_ex", A);
  const LuFactors factors = factored(A, pivot, check_errors);
  return {factors.lu, factors.pivots, detail::info_of(factors.info, A)};
}

namespace {

// x with a x = b, or with a^T x = b if `adjoint` is true.
Tensor lu_solve_left(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool adjoint) {
  if (!adjoint) {
    const Tensor y =
        linalg_solve_triangular(lu, detail::permute_rows(b, pivots, false), false, true, true);
    return linalg_solve_triangular(lu, y, true);
  }
  const Tensor y = linalg_solve_triangular(lu.mT(), b, false);
  return detail::permute_rows(linalg_solve_triangular(lu.mT(), y, true, true, true), pivots, true);
}

// The gradient of lu for the gradient g of x, of lu_solve_left.
Tensor lu_solve_gradient(const Tensor& lu, const Tensor& pivots, const Tensor& x, const Tensor& g,
                         bool adjoint) {
  const auto upper_inverse = [&](const Tensor& y, bool transposed) {
    return transposed ? linalg_solve_triangular(lu.mT(), y, false)
                      : linalg_solve_triangular(lu, y, true);
  };
  const auto lower_inverse = [&](const Tensor& y, bool transposed) {
    return transposed ? linalg_solve_triangular(lu.mT(), y, true, true, true)
                      : linalg_solve_triangular(lu, y, false, true, true);
  };
  if (!adjoint) {
    const Tensor gu = upper_inverse(g, true);
    const Tensor gl = lower_inverse(gu, true).matmul(upper_part(lu).matmul(x).mT());
    return -lower_part(gl, -1) - upper_part(gu.matmul(x.mT()));
  }
  const Tensor y = detail::permute_rows(x, pivots, false);
  const Tensor z = lower_inverse(detail::permute_rows(g, pivots, false), false);
  const Tensor gu = unit_lower(lu).mT().matmul(y).matmul(upper_inverse(z, false).mT());
  return -lower_part(y.matmul(z.mT()), -1) - upper_part(gu);
}

}  // namespace

Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, StrictBool left,
                       StrictBool adjoint) {
  TERN_OP("linalg_lu_solve", LU, pivots, B);
  detail::check_square(LU);
  detail::check_same_device("linalg_lu_solve", {&LU, &pivots, &B}, {"LU", "pivots", "B"});
  detail::check_is_matrix("B", B);
  TERN_CHECK(pivots.dtype() == kInt, DTypeError,
             "pivots should be a Tensor of scalar type torch.int32, got ", pivots.scalar_type());
  const std::int64_t n = LU.size(-1);
  TERN_CHECK(n == B.size(left ? -2 : -1), ShapeError,
             "Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B", " (",
             n, "x", n, " and ", B.size(-2), "x", B.size(-1), ")");
  TERN_CHECK(pivots.dim() >= 1 && pivots.size(-1) == n, ShapeError,
             "Number of pivots per batch should be same as the dimension of the matrix: ", n,
             ", got sizes ", pivots.sizes());
  TERN_CHECK(pivots.sizes() == LU.sizes().slice(0, LU.sizes().size() - 1), ShapeError,
             "Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape ",
             pivots.sizes(), " instead");
  TERN_CHECK(LU.dtype() == B.dtype(), DTypeError,
             "Expected LU and B to have the same dtype, but found LU of type ", LU.scalar_type(),
             " and B of type ", B.scalar_type(), " instead");
  const DimVector batch = broadcast_sizes(detail::batch_of(B), detail::batch_of(LU));
  const Tensor swaps = pivots.detach().expand(detail::with_vector(batch, n));
  // X A = B is A^T X^T = B^T.
  const bool is_transposed = adjoint == left;
  const auto from_left = [left](const Tensor& x) { return left ? x : x.mT(); };
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor lu = LU.detach().expand(detail::with_matrix(batch, n, n));
    const Tensor b = B.detach().expand(detail::with_matrix(batch, B.size(-2), B.size(-1)));
    out = lu_solve_left(lu, swaps, from_left(b), is_transposed);
    if (!left) out = out.mT().contiguous();
  }
  if (!needs_grad(LU, B)) return out;
  return record("LinalgLuSolveBackward0", out,
                wrt(
                    LU,
                    [=](const Tensor& g, const Tensor& lu, const Tensor& rows, const Tensor& x) {
                      return lu_solve_gradient(lu, rows, from_left(x), from_left(g), is_transposed);
                    },
                    LU, swaps, out),
                wrt(
                    B,
                    [=](const Tensor& g, const Tensor& lu, const Tensor& rows) {
                      const Tensor all = lu.expand(detail::with_matrix(batch, n, n));
                      return linalg_lu_solve(all, rows, g, left, !adjoint);
                    },
                    LU, swaps));
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
  TERN_OP("linalg_slogdet", A);
  detail::check_square(A);
  Tensor sign, logarithm;
  {
    const NoGradGuard no_grad;
    const LuFactors factors = lu_factors("linalg_slogdet", A.detach());
    const Tensor diagonal = detail::diagonal_of(factors.lu);
    const std::int64_t n = A.size(-1);
    const Tensor order = arange(1, n + 1, TensorOptions(kInt).device(A.device()));
    // Each swap changes the sign; the remainder by 2 turns their number into 0 or 1.
    const Tensor swaps = factors.pivots.ne(order).to(kLong).sum(-1).remainder(2).to(A.dtype());
    sign = diagonal.sign().prod(-1) * (1 - swaps * 2);
    logarithm = diagonal.abs().log().sum(-1);
  }
  if (needs_grad(A)) {
    detail::record_outputs(
        "LinalgSlogdetBackward0", {&sign, &logarithm}, {&A}, {&A},
        [](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
          if (!g[1].defined()) return std::vector<Tensor>(1);  // the sign has no gradient
          // The transposed inverse; infinities for a singular matrix.
          const Tensor& a = saved[0];
          const Tensor scaled = eye(a.size(-1), a.options()) * detail::as_matrices(g[1]);
          return std::vector<Tensor>{std::get<0>(linalg_solve_ex(a.mT(), scaled))};
        });
  }
  return {sign, logarithm};
}

std::tuple<Tensor, Tensor> slogdet(const Tensor& self) {
  TERN_OP("slogdet", self);
  return linalg_slogdet(self);
}

Tensor logdet(const Tensor& self) {
  TERN_OP("logdet", self);
  const auto [sign, logarithm] = linalg_slogdet(self);
  const Tensor nan = full({}, std::numeric_limits<double>::quiet_NaN(), self.options());
  return where(sign.detach().eq(-1), nan, logarithm);
}

}  // namespace tern
