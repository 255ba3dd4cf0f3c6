#include <limits>
#include <string>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/linalg.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::LinalgOp;

IntArrayRef batch_of(const Tensor& matrices) {
  return matrices.sizes().slice(0, matrices.sizes().size() - 2);
}

DimVector with_matrix(IntArrayRef batch, std::int64_t rows, std::int64_t columns) {
  DimVector sizes(batch);
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}

void check_is_matrix(const char* argument, const Tensor& tensor) {
  TERN_CHECK(tensor.dim() >= 2, ShapeError, "The input tensor ", argument,
             " must have at least 2 dimensions. Got sizes ", tensor.sizes());
}

void check_square(const Tensor& a) {
  TERN_CHECK(is_floating_point(a.dtype()), NotImplementedError,
             "Expected a floating point or complex tensor as input. Got ", a.dtype());
  TERN_CHECK(a.dtype() == kFloat || a.dtype() == kDouble, NotImplementedError,
             "Low precision dtypes not supported. Got ", a.dtype(), ": use to(kFloat) first");
  check_is_matrix("A", a);
  TERN_CHECK(a.size(-1) == a.size(-2), ShapeError,
             "A must be batches of square matrices, but they are ", a.size(-2), " by ", a.size(-1),
             " matrices");
}

// Runs the kernel over all matrices of `a`. Returns `info`; undefined if no matrix has elements.
Tensor run_linalg(const char* name, LinalgOp op, const Tensor& a, const Tensor& b,
                  const Tensor& out) {
  kernels::LinalgArgs args;
  args.n = a.size(-1);
  if (a.numel() == 0) return {};
  args.op = op;
  args.dtype = a.dtype();
  args.batch = a.numel() / (args.n * args.n);
  args.columns = b.defined() ? b.size(-1) : 0;
  const Tensor matrices = a.contiguous();
  const Tensor right_hand_side = b.defined() ? b.contiguous() : Tensor();
  Tensor info = detail::make_tensor(batch_of(a), kLong, a.device());
  args.a = matrices.data_ptr();
  args.b = b.defined() ? right_hand_side.data_ptr() : nullptr;
  args.out = out.data_ptr();
  args.info = info.data_ptr<std::int64_t>();
  kernels::run(name, a.device(), a.dtype(), args);
  return info;
}

// The first matrix without a result: its index in the batch, for error texts, and its info.
struct Failure {
  std::string batch;
  std::int64_t info = 0;
};

// Waits for the device.
Failure first_failure(const Tensor& info) {
  if (!info.defined() || info.is_meta()) return {};
  TERN_CHECK(
      !kernels::is_capturing(info.device()), DeviceError,
      "CUDA error: operation not permitted when stream is capturing\nOnly a replay finds out "
      "which matrices have a result.");
  const Tensor host = info.cpu();
  const auto* const data = host.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    if (data[i] == 0) continue;
    return {info.dim() == 0 ? "" : detail::text_of("(Batch element ", i, "): "), data[i]};
  }
  return {};
}

Tensor as_matrices(const Tensor& numbers) { return numbers.unsqueeze(-1).unsqueeze(-1); }

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
  const Tensor inverse = linalg_inv(where(is_zero, identity, a));
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
  const Tensor columns = arange(n, options), rows = columns.unsqueeze(1);
  return (rows.ge(columns).to(options.dtype()) + rows.gt(columns).to(options.dtype())) / 2;
}

}  // namespace

Tensor linalg_inv(const Tensor& A) {
  TERN_OP("linalg_inv", A);
  check_square(A);
  Tensor out = detail::make_tensor(A.sizes(), A.dtype(), A.device());
  const Failure failure =
      first_failure(run_linalg("linalg_inv", LinalgOp::kInverse, A.detach(), {}, out));
  TERN_CHECK(failure.info == 0, Error, failure.batch, "The diagonal element ", failure.info,
             " is zero, the inversion could not be completed because the input matrix is "
             "singular.");
  if (!needs_grad(A)) return out;
  return record("LinalgInvExBackward0", out,
                wrt(
                    A,
                    [](const Tensor& g, const Tensor& inverse) {
                      return -inverse.mT().matmul(g).matmul(inverse.mT());
                    },
                    out));
}

Tensor linalg_solve(const Tensor& A, const Tensor& B, StrictBool left) {
  TERN_OP("linalg_solve", A, B);
  check_square(A);
  detail::check_same_device("linalg_solve", {&A, &B}, {"A", "B"});
  TERN_CHECK(A.dtype() == B.dtype(), DTypeError,
             "Expected A and B to have the same dtype, but found A of type ", A.dtype(),
             " and B of type ", B.dtype(), " instead");
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
  Tensor out;
  {
    // X A = B is A^T X^T = B^T.
    const NoGradGuard no_grad;
    const Tensor a = (left ? A.detach() : A.detach().mT()).expand(with_matrix(batch, n, n));
    const DimVector sizes = with_matrix(batch, b.size(-2), b.size(-1));
    const Tensor right = left ? b.expand(sizes) : b.expand(sizes).mT();
    Tensor x = detail::make_tensor(right.sizes(), A.dtype(), A.device());
    const Failure failure =
        first_failure(run_linalg("linalg_solve", LinalgOp::kSolve, a, right, x));
    TERN_CHECK(failure.info == 0, Error, failure.batch,
               "The solver failed because the input matrix is singular.");
    if (!left) x = x.mT().contiguous();
    // No view: nobody else holds the elements.
    DimVector result = sizes;
    if (is_vector) result.pop_back();
    out = detail::make_alias(x, result, contiguous_strides(result), x.storage_offset());
  }
  if (!needs_grad(A, B)) return out;
  return record("LinalgSolveExBackward0", out,
                wrt(
                    A,
                    [=](const Tensor& g, const Tensor& a, const Tensor& x) {
                      const Tensor gb = linalg_solve(a.mT(), as_matrix(g), left),
                                   xt = as_matrix(x).mT();
                      return left ? -gb.matmul(xt) : -xt.matmul(gb);
                    },
                    A, out),
                wrt(
                    B,
                    [=](const Tensor& g, const Tensor& a) {
                      const Tensor gb = linalg_solve(a.mT(), as_matrix(g), left);
                      return is_vector ? gb.squeeze(-1) : gb;
                    },
                    A));
}

Tensor linalg_cholesky(const Tensor& A, StrictBool upper) {
  TERN_OP("linalg_cholesky", A);
  check_square(A);
  Tensor out = detail::make_tensor(A.sizes(), A.dtype(), A.device());
  {
    const NoGradGuard no_grad;
    const Tensor a = upper ? A.detach().mT() : A.detach();
    const Failure failure =
        first_failure(run_linalg("linalg_cholesky", LinalgOp::kCholesky, a, {}, out));
    TERN_CHECK(failure.info == 0, Error, failure.batch,
               "The factorization could not be completed because the input is not "
               "positive-definite (the leading minor of order ",
               failure.info, " is not positive-definite).");
    if (upper) out = out.mT().clone();
  }
  if (!needs_grad(A)) return out;
  return record("LinalgCholeskyExBackward0", out,
                wrt(
                    A,
                    [upper](const Tensor& g, const Tensor& factor) {
                      const Tensor l = upper ? factor.mT() : factor;
                      const Tensor phi =
                          l.mT().matmul(upper ? g.mT() : g) * lower_half(l.size(-1), l.options());
                      const Tensor symmetric = (phi + phi.mT()) / 2;
                      return linalg_solve(l, linalg_solve(l.mT(), symmetric), /*left=*/false);
                    },
                    out));
}

Tensor linalg_det(const Tensor& A) {
  TERN_OP("linalg_det", A);
  check_square(A);
  Tensor out = detail::make_tensor(batch_of(A), A.dtype(), A.device());
  if (A.numel() == 0) {
    out.fill_(1);
  } else {
    run_linalg("linalg_det", LinalgOp::kDeterminant, A.detach(), {}, out);
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
  return linalg_inv(self);
}

Tensor det(const Tensor& self) {
  TERN_OP("det", self);
  return linalg_det(self);
}

}  // namespace tern
