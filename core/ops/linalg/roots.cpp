// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>

// Square roots and polar decompositions of matrices.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

// Returns a function of symmetric matrices by their eigenvalues and eigenvectors.
Tensor from_eigenvalues(const Tensor& values, const Tensor& vectors) {
  return (vectors * values.unsqueeze(-2)).matmul(vectors.mT());
}

// Solves H X + X H = B for a symmetric positive definite H: Sylvester's equation.
Tensor solve_sylvester(const Tensor& h, const Tensor& b) {
  Tensor values, vectors;
  std::tie(values, vectors) = linalg_eigh(h);
  const Tensor sums = values.unsqueeze(-1) + values.unsqueeze(-2);
  return vectors.matmul(vectors.mT().matmul(b).matmul(vectors) / sums).matmul(vectors.mT());
}

// The gradient of A = X X for the gradient g of X. The root is computed again, so that the result
// may be changed in place, as in PyTorch.
Tensor sqrth_gradient(const Tensor& g, const Tensor& a) {
  return solve_sylvester(linalg_matrix_sqrth(a), (g + g.mT()) / 2);
}

// The gradient of A = U H. With M = U^T dA, the differentials are dU = U W + (1 - U U^T) dA H^-1
// and dH = M - W H, where W solves H W + W H = M - M^T.
Tensor polar_gradient(const Tensor& gu, const Tensor& gh, const Tensor& u, const Tensor& h) {
  Tensor k, result;
  if (gu.defined()) {
    const Tensor ut_gu = u.mT().matmul(gu);
    k = ut_gu;
    result = linalg_solve(h, gu - u.matmul(ut_gu), false);
  }
  if (gh.defined()) {
    const Tensor gh_h = gh.matmul(h), u_gh = u.matmul(gh);
    k = k.defined() ? k - gh_h : -gh_h;
    result = result.defined() ? result + u_gh : u_gh;
  }
  return result + u.matmul(solve_sylvester(h, k - k.mT()));
}

}  // namespace

Tensor linalg_matrix_sqrth(const Tensor& A) {
  TERN_OP("linalg_matrix_sqrth", A);
  TERN_AUTOCAST(kFloat32, kFloat32, linalg_matrix_sqrth, A);
  detail::check_square(A);
  Tensor out, values, vectors;
  {
    const NoGradGuard no_grad;
    std::tie(values, vectors) = linalg_eigh(A.detach());
    out = from_eigenvalues(values.clamp_min(0).sqrt(), vectors);
  }
  if (!needs_grad(A)) return out;
  return record("LinalgMatrixSqrthBackward0", out, wrt(A, sqrth_gradient, A));
}

std::tuple<Tensor, Tensor> linalg_polar(const Tensor& A) {
  TERN_OP("linalg_polar", A);
  detail::check_matrices(A);
  TERN_CHECK(A.size(-2) >= A.size(-1), ShapeError,
             "input must have at least as many rows as columns, but got ", A.size(-2), " by ",
             A.size(-1), " matrices");
  Tensor u, h, left, s, vt;
  {
    const NoGradGuard no_grad;
    std::tie(left, s, vt) = linalg_svd(A.detach(), false);
    u = left.matmul(vt);
    const Tensor product = from_eigenvalues(s, vt.mT());
    h = (product + product.mT()) / 2;
  }
  if (needs_grad(A)) {
    detail::record_outputs("LinalgPolarBackward0", {&u, &h}, {&A}, {&u, &h},
                           [](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
                             return std::vector{polar_gradient(g[0], g[1], saved[0], saved[1])};
                           });
  }
  return {u, h};
}

}  // namespace tern
