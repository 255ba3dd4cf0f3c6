// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Equations with triangular matrices.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

// Returns the triangle that is read, without its diagonal if `unit`, and 0 elsewhere, where `a` may
// have NaN.
Tensor triangle_of(const Tensor& a, bool upper, bool unit = false) {
  return upper ? triu(a, unit ? 1 : 0) : tril(a, unit ? -1 : 0);
}

// Returns x with a x = b without history; both have the same batch.
Tensor run_triangular(const char* name, const Tensor& a, const Tensor& b, bool upper, bool unit) {
  const NoGradGuard no_grad;
  kernels::LinalgArgs args{};
  args.op = kernels::LinalgOp::kTriangular;
  args.upper = upper ? 1 : 0;
  args.unit = unit ? 1 : 0;
  Tensor x = detail::make_tensor(b.sizes(), b.dtype(), b.device());
  args.out = x.data_ptr();
  detail::run_linalg(name, args, a, b);
  return x;
}

void check_cholesky(const Tensor& b, const Tensor& factor) {
  TERN_CHECK(b.dim() >= 2, ShapeError, "b should have at least 2 dimensions, but has ", b.dim(),
             " dimensions instead");
  TERN_CHECK(factor.dim() >= 2, ShapeError, "u should have at least 2 dimensions, but has ",
             factor.dim(), " dimensions instead");
  detail::check_square(factor);
  TERN_CHECK(factor.size(-1) == b.size(-2), ShapeError,
             "Incompatible matrix sizes for cholesky_solve: each A matrix is ", factor.size(-2),
             " by ", factor.size(-1), " but each b matrix is ", b.size(-2), " by ", b.size(-1));
  TERN_CHECK(b.dtype() == factor.dtype(), DTypeError,
             "Expected b and A to have the same dtype, but found b of type ", b.scalar_type(),
             " and A of type ", factor.scalar_type(), " instead.");
  detail::check_same_device("cholesky_solve", {&b, &factor}, {"self", "A"});
}

// Returns x with l l^T x = b without history.
Tensor solve_by_cholesky(const char* name, const Tensor& b, const Tensor& factor, bool upper) {
  const NoGradGuard no_grad;
  const DimVector batch = broadcast_sizes(detail::batch_of(b), detail::batch_of(factor));
  const std::int64_t n = factor.size(-1);
  const Tensor l =
      (upper ? factor.detach().mT() : factor.detach()).expand(detail::with_matrix(batch, n, n));
  const Tensor right = b.detach().expand(detail::with_matrix(batch, n, b.size(-1)));
  return run_triangular(name, l.mT(), run_triangular(name, l, right, false, false), true, false);
}

}  // namespace

Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, StrictBool upper, StrictBool left,
                               StrictBool unitriangular) {
  TERN_OP("linalg_solve_triangular", A, B);
  detail::check_square(A);
  detail::check_is_matrix("B", B);
  const std::int64_t n = A.size(-1);
  TERN_CHECK(n == B.size(left ? -2 : -1), ShapeError,
             "Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B", " (",
             n, "x", n, " and ", B.size(-2), "x", B.size(-1), ")");
  TERN_CHECK(A.dtype() == B.dtype(), DTypeError,
             "Expected A and B to have the same dtype, but found A of type ", A.scalar_type(),
             " and B of type ", B.scalar_type(), " instead");
  detail::check_same_device("linalg_solve_triangular", {&A, &B}, {"A", "B"});
  const DimVector batch = broadcast_sizes(detail::batch_of(B), detail::batch_of(A));
  Tensor out;
  {
    // X A = B is A^T X^T = B^T.
    const NoGradGuard no_grad;
    const Tensor a = A.detach().expand(detail::with_matrix(batch, n, n));
    const Tensor b = B.detach().expand(detail::with_matrix(batch, B.size(-2), B.size(-1)));
    if (left) {
      out = run_triangular("linalg_solve_triangular", a, b, upper, unitriangular);
    } else {
      const Tensor x =
          run_triangular("linalg_solve_triangular", a.mT(), b.mT(), !upper, unitriangular);
      out = detail::with_sizes(x.mT().contiguous(), b.sizes());
    }
  }
  if (!needs_grad(A, B)) return out;
  return record("LinalgSolveTriangularBackward0", out,
                wrt(
                    A,
                    [=](const Tensor& g, const Tensor& a, const Tensor& x) {
                      const Tensor gb =
                          linalg_solve_triangular(a.mT(), g, !upper, left, unitriangular);
                      const Tensor ga = left ? gb.matmul(x.mT()) : x.mT().matmul(gb);
                      return -triangle_of(ga, upper, unitriangular);
                    },
                    A, out),
                wrt(
                    B,
                    [=](const Tensor& g, const Tensor& a) {
                      return linalg_solve_triangular(a.mT(), g, !upper, left, unitriangular);
                    },
                    A));
}

Tensor cholesky_solve(const Tensor& self, const Tensor& factor, StrictBool upper) {
  TERN_OP("cholesky_solve", self, factor);
  TERN_AUTOCAST(kFloat32, kUnchanged, cholesky_solve, self, factor, upper);
  check_cholesky(self, factor);
  Tensor out = solve_by_cholesky("cholesky_solve", self, factor, upper);
  if (!needs_grad(self, factor)) return out;
  return record(
      "CholeskySolveBackward0", out,
      wrt(
          self, [upper](const Tensor& g, const Tensor& l) { return cholesky_solve(g, l, upper); },
          factor),
      wrt(
          factor,
          [upper](const Tensor& g, const Tensor& l, const Tensor& x) {
            const Tensor half = cholesky_solve(g, l, upper).matmul(x.mT());
            const Tensor both = half + half.mT();
            const Tensor t = triangle_of(l, upper);
            const Tensor gl = upper ? -t.matmul(both) : -both.matmul(t);
            return triangle_of(gl, upper);
          },
          factor, out));
}

Tensor cholesky_inverse(const Tensor& self, StrictBool upper) {
  TERN_OP("cholesky_inverse", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, cholesky_inverse, self, upper);
  detail::check_square(self);
  const std::int64_t n = self.size(-1);
  {
    const NoGradGuard no_grad;
    const Tensor diagonal = detail::diagonal_of(self.detach());
    if (self.numel() != 0 && !self.is_meta()) {
      const Tensor host = diagonal.eq(0).reshape({-1, n}).to(kLong).cpu();
      const auto* const is_zero = host.data_ptr<std::int64_t>();
      for (std::int64_t i = 0; i < host.numel(); ++i) {
        TERN_CHECK(is_zero[i] == 0, Error,
                   self.dim() == 2 ? "" : detail::text_of("(Batch element ", i / n, "): "),
                   "The diagonal element ", i % n + 1,
                   " is zero, the inversion could not be completed because the input matrix is "
                   "singular.");
      }
    }
  }
  Tensor out = solve_by_cholesky("cholesky_inverse", eye(n, self.options()), self, upper);
  if (!needs_grad(self)) return out;
  return record("CholeskyInverseBackward0", out,
                wrt(
                    self,
                    [upper](const Tensor& g, const Tensor& l, const Tensor& inverse) {
                      const Tensor both = inverse.matmul(g + g.mT()).matmul(inverse);
                      const Tensor t = triangle_of(l, upper);
                      const Tensor gl = upper ? -t.matmul(both) : -both.matmul(t);
                      return triangle_of(gl, upper);
                    },
                    self, out));
}

}  // namespace tern
