// Compiled for size.

#include <algorithm>
#include <limits>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/ops.h>

// QR, eigenvalues of symmetric matrices, singular values.

namespace tern {
namespace {

using autograd::needs_grad;
using Tensors = std::vector<Tensor>;

// Identity matrices, the factors of matrices without elements.
Tensor new_factor(const Tensor& a, std::int64_t rows, std::int64_t columns) {
  const DimVector sizes = detail::with_matrix(detail::batch_of(a), rows, columns);
  if (a.numel() != 0) return detail::make_tensor(sizes, a.dtype(), a.device());
  return detail::with_sizes(eye(rows, columns, a.options()).expand(sizes).contiguous(), sizes);
}

Tensor upper_triangle(const Tensor& x) {
  return x * (1 - detail::lower_mask(x.size(-1), -1, x.options()));
}

// The gradient of a square or tall matrix a = q r, with R upper triangular (Walter and Lehmann,
// "Algorithmic differentiation of linear algebra functions", 2018).
Tensor tall_qr_gradient(const Tensor& q, const Tensor& r, const Tensor& gq, const Tensor& gr) {
  const std::int64_t n = r.size(-1);
  const Tensor inner = upper_triangle(gr.matmul(r.mT()) - q.mT().matmul(gq));
  const Tensor symmetric = (inner + inner.mT()) * (1 - eye(n, r.options()) / 2);
  return linalg_solve_triangular(r.mT(), gq + q.matmul(symmetric), false, false);
}

Tensor qr_gradient(const Tensor& q, const Tensor& r, const Tensor& gq, const Tensor& gr) {
  const std::int64_t k = r.size(-2), n = r.size(-1);
  if (n <= k) return tall_qr_gradient(q, r, gq, gr);
  // The first k columns determine q, and the other ones of r are q^T a.
  const Tensor rest = gr.narrow(-1, k, n - k), r2 = r.narrow(-1, k, n - k);
  const Tensor whole = gq + q.matmul(r2).matmul(rest.mT());
  return cat({tall_qr_gradient(q, r.narrow(-1, 0, k), whole, gr.narrow(-1, 0, k)), q.matmul(rest)},
             -1);
}

Tensor zeros_if_undefined(const Tensor& gradient, const Tensor& like) {
  return gradient.defined() ? gradient : zeros_like(like);
}

Tensor skew_part(const Tensor& x) { return x - x.mT(); }

struct EigenPairs {
  Tensor values, vectors;
};

EigenPairs eigh_of(const char* name, const Tensor& A, std::string_view UPLO, bool has_vectors) {
  detail::check_square(A);
  const bool is_lower = UPLO == "L" || UPLO == "l";
  TERN_CHECK(is_lower || UPLO == "U" || UPLO == "u", Error,
             "Expected UPLO argument to be 'L' or 'U', but got ", UPLO);
  const std::int64_t n = A.size(-1);
  const bool recorded = needs_grad(A);
  EigenPairs result;
  result.values =
      detail::make_tensor(detail::with_vector(detail::batch_of(A), n), A.dtype(), A.device());
  if (has_vectors || recorded) result.vectors = new_factor(A, n, n);
  {
    const NoGradGuard no_grad;
    kernels::LinalgArgs args{};
    args.op = kernels::LinalgOp::kEigh;
    args.out = result.values.data_ptr();
    args.second = result.vectors.defined() ? result.vectors.data_ptr() : nullptr;
    const Tensor a = A.detach();
    const detail::Failure failure =
        detail::first_failure(detail::run_linalg(name, args, is_lower ? a : a.mT()));
    TERN_CHECK(failure.info == 0, Error, failure.batch,
               "The algorithm failed to converge because the input matrix is ill-conditioned or "
               "has too many repeated eigenvalues.");
  }
  if (!recorded) return result;
  detail::record_outputs(
      "LinalgEighBackward0", {&result.values, &result.vectors}, {&A},
      {&result.values, &result.vectors}, [](const Tensors& g, const Tensors& saved) -> Tensors {
        const Tensor &values = saved[0], &v = saved[1];
        if (!g[1].defined()) return {(v * g[0].unsqueeze(-2)).matmul(v.mT())};
        const Tensor identity = eye(values.size(-1), values.options());
        const Tensor gaps = values.unsqueeze(-2) - values.unsqueeze(-1) + identity;
        // Half the skew part makes the gradient symmetric, as the matrix is.
        Tensor inner = skew_part(v.mT().matmul(g[1])) / (2 * gaps);
        if (g[0].defined()) inner = inner + identity * g[0].unsqueeze(-2);
        return {v.matmul(inner).matmul(v.mT())};
      });
  return result;
}

struct Singular {
  Tensor u, s, vt;
};

// The gradient of a = u diag(s) v^T, of which u and v^T have k columns and rows. Undefined
// gradients count as 0.
Tensor svd_gradient(const Tensor& u, const Tensor& s, const Tensor& vt, const Tensor& gu,
                    const Tensor& gs, const Tensor& gvt) {
  const std::int64_t m = u.size(-2), n = vt.size(-1), k = s.size(-1);
  const Tensor row = s.unsqueeze(-2), column = s.unsqueeze(-1);
  if (!gu.defined() && !gvt.defined()) return (u * (gs.unsqueeze(-2))).matmul(vt);
  const Tensor identity = eye(k, s.options());
  const Tensor gaps = (row - column) * (row + column) + identity;
  Tensor inner;
  if (gu.defined()) inner = skew_part(u.mT().matmul(gu)) / gaps * row;
  if (gvt.defined()) {
    const Tensor part = column * (skew_part(vt.matmul(gvt.mT())) / gaps);
    inner = inner.defined() ? inner + part : part;
  }
  if (gs.defined()) inner = inner + identity * gs.unsqueeze(-2);
  Tensor ga = u.matmul(inner).matmul(vt);
  if (gu.defined() && m > k) {
    const Tensor scaled = gu / row;
    ga = ga + (scaled - u.matmul(u.mT().matmul(scaled))).matmul(vt);
  }
  if (gvt.defined() && n > k) {
    const Tensor scaled = gvt / column;
    ga = ga + u.matmul(scaled - scaled.matmul(vt.mT()).matmul(vt));
  }
  return ga;
}

// With `has_vectors` false, u and v^T are computed only if the gradient needs them.
Singular svd_of(const char* name, const Tensor& A, bool full, bool has_vectors) {
  detail::check_matrices(A);
  const std::int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n);
  const bool recorded = needs_grad(A);
  Singular result;
  result.s =
      detail::make_tensor(detail::with_vector(detail::batch_of(A), k), A.dtype(), A.device());
  if (has_vectors || recorded) {
    result.u = new_factor(A, m, full ? m : k);
    result.vt = new_factor(A, full ? n : k, n);
  }
  {
    const NoGradGuard no_grad;
    kernels::LinalgArgs args{};
    args.op = kernels::LinalgOp::kSvd;
    args.full = full ? 1 : 0;
    args.out = result.s.data_ptr();
    args.second = result.u.defined() ? result.u.data_ptr() : nullptr;
    args.third = result.vt.defined() ? result.vt.data_ptr() : nullptr;
    const detail::Failure failure =
        detail::first_failure(detail::run_linalg(name, args, A.detach()));
    TERN_CHECK(failure.info != 2, Error, failure.batch,
               "The algorithm failed to converge because the input matrix contained non-finite "
               "values.");
    TERN_CHECK(failure.info == 0, Error, failure.batch,
               "The algorithm failed to converge because the input matrix is ill-conditioned or "
               "has too many repeated singular values.");
  }
  if (!recorded) return result;
  detail::record_outputs("LinalgSvdBackward0", {&result.u, &result.s, &result.vt}, {&A},
                         {&result.u, &result.s, &result.vt},
                         [k](const Tensors& g, const Tensors& saved) -> Tensors {
                           const auto columns = [k](const Tensor& x) {
                             return x.defined() && x.size(-1) > k ? x.narrow(-1, 0, k) : x;
                           };
                           const auto rows = [k](const Tensor& x) {
                             return x.defined() && x.size(-2) > k ? x.narrow(-2, 0, k) : x;
                           };
                           return {svd_gradient(columns(saved[0]), saved[1], rows(saved[2]),
                                                columns(g[0]), g[1], rows(g[2]))};
                         });
  return result;
}

// The names of cuSOLVER's algorithms; tern has one of its own.
void check_driver(const char* name, const Tensor& a, std::optional<std::string_view> driver) {
  if (!driver) return;
  TERN_CHECK(a.is_cuda(), Error, "torch.", name, ": keyword argument `driver=` is only supported ",
             "on CUDA inputs with cuSOLVER backend, got device ", a.device());
  TERN_CHECK(*driver == "gesvd" || *driver == "gesvdj" || *driver == "gesvda", Error, "torch.",
             name, ": unknown svd driver ", *driver, ", expected gesvd, gesvdj or gesvda");
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode) {
  TERN_OP("linalg_qr", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_qr, A, mode);
  detail::check_matrices(A);
  const bool is_complete = mode == "complete", is_r = mode == "r";
  TERN_CHECK(is_complete || is_r || mode == "reduced", Error, "qr received unrecognized mode '",
             mode, "' but expected one of 'reduced' (default), 'r', or 'complete'");
  const std::int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n);
  const std::int64_t columns = is_complete ? m : k;
  Tensor q = is_r ? detail::make_tensor({0}, A.dtype(), A.device()) : new_factor(A, m, columns);
  Tensor r = new_factor(A, columns, n);
  {
    const NoGradGuard no_grad;
    kernels::LinalgArgs args{};
    args.op = kernels::LinalgOp::kQr;
    args.columns = columns;
    args.out = is_r ? nullptr : q.data_ptr();
    args.second = r.data_ptr();
    detail::run_linalg("linalg_qr", args, A.detach());
  }
  if (!needs_grad(A)) return {q, r};
  const bool is_tall = is_complete && m > n;
  const auto rule = [is_r, is_tall](const Tensors& g, const Tensors& saved) -> Tensors {
    TERN_CHECK(!is_r, Error,
               "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
               "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
               "linalg.qr.");
    TERN_CHECK(!is_tall, Error,
               "The QR decomposition is not differentiable when mode='complete' and nrows > "
               "ncols.");
    return {qr_gradient(saved[0], saved[1], zeros_if_undefined(g[0], saved[0]),
                        zeros_if_undefined(g[1], saved[1]))};
  };
  detail::record_outputs("LinalgQrBackward0", {&q, &r}, {&A}, {&q, &r}, rule);
  return {q, r};
}

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, std::string_view UPLO) {
  TERN_OP("linalg_eigh", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_eigh, A, UPLO);
  const EigenPairs result = eigh_of("linalg_eigh", A, UPLO, true);
  return {result.values, result.vectors};
}

Tensor linalg_eigvalsh(const Tensor& A, std::string_view UPLO) {
  TERN_OP("linalg_eigvalsh", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_eigvalsh, A, UPLO);
  return eigh_of("linalg_eigvalsh", A, UPLO, false).values;
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, StrictBool full_matrices,
                                              std::optional<std::string_view> driver) {
  TERN_OP("linalg_svd", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_svd, A, full_matrices, driver);
  check_driver("linalg.svd", A, driver);
  const Singular result = svd_of("linalg_svd", A, full_matrices, true);
  return {result.u, result.s, result.vt};
}

Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view> driver) {
  TERN_OP("linalg_svdvals", A);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_svdvals, A, driver);
  check_driver("linalg.svdvals", A, driver);
  return svd_of("linalg_svdvals", A, false, false).s;
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, StrictBool some, StrictBool compute_uv) {
  TERN_OP("svd", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, svd, self, some, compute_uv);
  if (!compute_uv) {
    const Tensor s = svd_of("svd", self, false, false).s;
    const std::int64_t m = self.size(-2), n = self.size(-1);
    const auto none = [&](std::int64_t size) {
      return zeros(detail::with_matrix(detail::batch_of(self), size, size), self.options());
    };
    return {none(m), s, none(n)};
  }
  const Singular result = svd_of("svd", self, !some, true);
  return {result.u, result.s, result.vt.mT()};
}

}  // namespace tern
