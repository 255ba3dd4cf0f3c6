// Compiled for size.

#include <limits>
#include <string>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::as_matrices;
using detail::batch_of;
using detail::check_is_matrix;
using detail::check_square;
using detail::Failure;
using detail::first_failure;
using detail::run_linalg;
using detail::with_matrix;
using kernels::LinalgOp;

// The matrices of cofactors with the help of a border,
//   M = [[a, b], [b^T, 0]], M^-1 = [[p, x], [y, s]], det(a) = s det(M),
// where s det(M) is differentiated. M has an inverse also if `a` has rank n - 1, as long as b is
// not orthogonal to the null space; hence the odd numbers in b. All cofactors of lower ranks are 0,
// and their derivatives NaN, as PyTorch's.
Tensor cofactors_by_border(const Tensor& a) {
  const std::int64_t n = a.size(-1);
  const Tensor border = arange(n, a.options()).add(1).sin().add(2);
  const Tensor row = cat({border, zeros({1}, a.options())}, 0).unsqueeze(0);
  const Tensor column = border.unsqueeze(1).expand(with_matrix(batch_of(a), n, 1));
  const Tensor bordered =
      cat({cat({a, column}, -1), row.expand(with_matrix(batch_of(a), 1, n + 1))}, -2);
  const Tensor det = as_matrices(linalg_det(bordered)), singular = det.eq(0);
  const Tensor inverse =
      linalg_inv(bordered.masked_fill(singular, std::numeric_limits<double>::quiet_NaN()));
  const Tensor top = inverse.narrow(-2, 0, n), bottom = inverse.narrow(-2, n, 1);
  const Tensor p = top.narrow(-1, 0, n), x = top.narrow(-1, n, 1);
  const Tensor y = bottom.narrow(-1, 0, n), s = bottom.narrow(-1, n, 1);
  return (det * (s * p - x.matmul(y))).mT().masked_fill(singular, 0);
}

// The derivative of the determinant: the matrix of cofactors, det(a) a^-T. Derivatives of this
// product lose all digits where `a` is nearly singular; these matrices take the border. Waits for
// the device.
Tensor cofactors(const Tensor& a, const Tensor& det) {
  const Tensor identity = eye(a.size(-1), a.options());
  const Tensor is_zero = as_matrices(det.detach()).eq(0);
  const Tensor inverse = std::get<0>(linalg_inv_ex(where(is_zero, identity, a)));
  Tensor regular = as_matrices(det) * inverse.mT();
  if (a.is_meta() || a.numel() == 0) return regular;
  const auto largest = [](const Tensor& x) { return x.detach().abs().amax({-2, -1}, true); };
  const Tensor condition = largest(a) * largest(inverse);
  const Tensor singular = is_zero.logical_or(condition.gt(a.dtype() == kDouble ? 1e8 : 3e3));
  if (!singular.any().item<bool>()) return regular;
  return where(singular, cofactors_by_border(where(singular, a, identity)), regular);
}

// 1 below the diagonal, 1/2 on it and 0 above.
Tensor lower_half(std::int64_t n, const TensorOptions& options) {
  return (detail::lower_mask(n, 0, options) + detail::lower_mask(n, -1, options)) / 2;
}

Tensor run_square(const char* name, LinalgOp op, const Tensor& a, const Tensor& b,
                  const Tensor& out) {
  kernels::LinalgArgs args{};
  args.op = op;
  args.out = out.data_ptr();
  return run_linalg(name, args, a, b);
}

}  // namespace

std::tuple<Tensor, Tensor> detail::inverse_and_info(const Tensor& a) {
  check_square(a);
  Tensor out = make_tensor(a.sizes(), a.dtype(), a.device());
  const Tensor info = run_square("linalg_inv", LinalgOp::kInverse, a.detach(), {}, out);
  if (info.defined()) {
    const NoGradGuard no_grad;
    out.masked_fill_(as_matrices(info.ne(0)), std::numeric_limits<double>::quiet_NaN());
  }
  if (!needs_grad(a)) return {out, info};
  out = record("LinalgInvExBackward0", out,
               wrt(
                   a,
                   [](const Tensor& g, const Tensor& inverse) {
                     return -inverse.mT().matmul(g).matmul(inverse.mT());
                   },
                   out));
  return {out, info};
}

namespace {

void check_inverted(const Tensor& info) {
  const Failure failure = first_failure(info);
  TERN_CHECK(failure.info == 0, Error, failure.batch, "The diagonal element ", failure.info,
             " is zero, the inversion could not be completed because the input matrix is "
             "singular.");
}

}  // namespace

Tensor linalg_inv(const Tensor& A) {
  TERN_OP("linalg_inv", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_inv, A);
  const auto [inverse, info] = detail::inverse_and_info(A);
  check_inverted(info);
  return inverse;
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, StrictBool check_errors) {
  TERN_OP("linalg_inv_ex", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_inv_ex, A, check_errors);
  const auto [inverse, info] = detail::inverse_and_info(A);
  if (check_errors) check_inverted(info);
  return {inverse, detail::info_of(info, A)};
}

namespace {

void check_solved(const Tensor& info) {
  const Failure failure = first_failure(info);
  TERN_CHECK(failure.info == 0, Error, failure.batch,
             "The solver failed because the input matrix is singular.");
}

/// Returns the solution and the info of the kernel.
std::tuple<Tensor, Tensor> solved(const Tensor& A, const Tensor& B, bool left, bool check_errors) {
  check_square(A);
  detail::check_same_device("linalg_solve", {&A, &B}, {"A", "B"});
  TERN_CHECK(A.dtype() == B.dtype(), DTypeError,
             "Expected A and B to have the same dtype, but found A of type ", A.scalar_type(),
             " and B of type ", B.scalar_type(), " instead");
  const std::int64_t n = A.size(-1);
  const bool is_vector = B.dim() == 1 || B.sizes() == A.sizes().slice(0, A.sizes().size() - 1);
  const auto as_matrix = [is_vector](const Tensor& x) { return is_vector ? x.unsqueeze(-1) : x; };
  const Tensor b = as_matrix(B.detach());
  check_is_matrix("B", b);
  TERN_CHECK(n == b.size(left ? -2 : -1), ShapeError,
             "Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B", " (",
             n, "x", n, " and ", b.size(-2), "x", b.size(-1), ")");
  TERN_CHECK(left || !is_vector, ShapeError,
             "Vector broadcasting of the left hand side is not supported for left=False. In this "
             "case linalg.solve is equivalent to B / A.squeeze(-1). Got sizes ",
             A.sizes(), " and ", B.sizes());
  const DimVector batch = broadcast_sizes(batch_of(b), batch_of(A));
  Tensor out, info;
  {
    // X A = B is A^T X^T = B^T.
    const NoGradGuard no_grad;
    const Tensor a = (left ? A.detach() : A.detach().mT()).expand(with_matrix(batch, n, n));
    const DimVector sizes = with_matrix(batch, b.size(-2), b.size(-1));
    const Tensor right = left ? b.expand(sizes) : b.expand(sizes).mT();
    Tensor x = detail::make_tensor(right.sizes(), A.dtype(), A.device());
    info = run_square("linalg_solve", LinalgOp::kSolve, a, right, x);
    if (check_errors) check_solved(info);
    if (!left) x = x.mT().contiguous();
    // No view: nobody else holds the elements.
    DimVector result = sizes;
    if (is_vector) result.pop_back();
    out = detail::make_alias(x, result, contiguous_strides(result), x.storage_offset());
  }
  if (!needs_grad(A, B)) return {out, info};
  const auto gradient_of_right = [left](const Tensor& a, const Tensor& g) {
    return std::get<0>(linalg_solve_ex(a.mT(), g, left));
  };
  out = record("LinalgSolveExBackward0", out,
               wrt(
                   A,
                   [=](const Tensor& g, const Tensor& a, const Tensor& x) {
                     const Tensor gb = gradient_of_right(a, as_matrix(g)), xt = as_matrix(x).mT();
                     return left ? -gb.matmul(xt) : -xt.matmul(gb);
                   },
                   A, out),
               wrt(
                   B,
                   [=](const Tensor& g, const Tensor& a) {
                     const Tensor gb = gradient_of_right(a, as_matrix(g));
                     return is_vector ? gb.squeeze(-1) : gb;
                   },
                   A));
  return {out, info};
}

/// Returns one number for each matrix of A, however many right sides it has.
Tensor info_of_matrices(const Tensor& kernel_info, const Tensor& A) {
  Tensor info = detail::info_of(kernel_info, A);
  if (info.numel() == 0) return zeros(batch_of(A), info.options());
  if (info.sizes() == batch_of(A)) return info;
  while (info.dim() > A.dim() - 2) info = info.select(0, 0);
  for (std::int64_t d = 0; d < info.dim(); ++d) info = info.narrow(d, 0, A.size(d));
  return info.clone(MemoryFormat::Contiguous);
}

}  // namespace

Tensor linalg_solve(const Tensor& A, const Tensor& B, StrictBool left) {
  TERN_OP("linalg_solve", A, B);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_solve, A, B, left);
  return std::get<0>(solved(A, B, left, /*check_errors=*/true));
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, StrictBool left,
                                           StrictBool check_errors) {
  TERN_OP("linalg_solve_ex", A, B);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_solve_ex, A, B, left, check_errors);
  const auto [out, info] = solved(A, B, left, check_errors);
  return {out, info_of_matrices(info, A)};
}

namespace {

std::tuple<Tensor, Tensor> cholesky_factor(const Tensor& A, bool upper, bool check_errors) {
  check_square(A);
  Tensor out = detail::make_tensor(A.sizes(), A.dtype(), A.device()), info;
  {
    const NoGradGuard no_grad;
    const Tensor a = upper ? A.detach().mT() : A.detach();
    info = run_square("linalg_cholesky", LinalgOp::kCholesky, a, {}, out);
    const Failure failure = check_errors ? first_failure(info) : Failure();
    TERN_CHECK(failure.info == 0, Error, failure.batch,
               "The factorization could not be completed because the input is not "
               "positive-definite (the leading minor of order ",
               failure.info, " is not positive-definite).");
    info = detail::info_of(info, A);
    if (upper) out = out.mT().clone();
  }
  if (!needs_grad(A)) return {out, info};
  out = record("LinalgCholeskyExBackward0", out,
               wrt(
                   A,
                   [upper](const Tensor& g, const Tensor& factor) {
                     const Tensor l = upper ? factor.mT() : factor;
                     const Tensor phi =
                         l.mT().matmul(upper ? g.mT() : g) * lower_half(l.size(-1), l.options());
                     const Tensor symmetric = (phi + phi.mT()) / 2;
                     return linalg_solve_triangular(
                         l, linalg_solve_triangular(l.mT(), symmetric, /*upper=*/true),
                         /*upper=*/false, /*left=*/false);
                   },
                   out));
  return {out, info};
}

}  // namespace

Tensor linalg_cholesky(const Tensor& A, StrictBool upper) {
  TERN_OP("linalg_cholesky", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_cholesky, A, upper);
  return std::get<0>(cholesky_factor(A, upper, /*check_errors=*/true));
}

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, StrictBool upper,
                                              StrictBool check_errors) {
  TERN_OP("linalg_cholesky_ex", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_cholesky_ex, A, upper, check_errors);
  return cholesky_factor(A, upper, check_errors);
}

Tensor linalg_det(const Tensor& A) {
  TERN_OP("linalg_det", A);
  check_square(A);
  Tensor out = detail::make_tensor(batch_of(A), A.dtype(), A.device());
  if (A.numel() == 0) {
    out.fill_(1);
  } else {
    run_square("linalg_det", LinalgOp::kDeterminant, A.detach(), {}, out);
  }
  if (!needs_grad(A)) return out;
  return record("LinalgDetBackward0", out,
                wrt(
                    A,
                    [](const Tensor& g, const Tensor& a, const Tensor& det) {
                      return as_matrices(g) * cofactors(a, det);
                    },
                    A, out));
}

Tensor inverse(const Tensor& self) {
  TERN_OP("inverse", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, inverse, self);
  return linalg_inv(self);
}

Tensor det(const Tensor& self) {
  TERN_OP("det", self);
  return linalg_det(self);
}

}  // namespace tern
