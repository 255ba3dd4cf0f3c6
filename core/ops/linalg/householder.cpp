// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/no_gradient.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>

// Householder reflections, composed of other ops.

namespace tern {
namespace {

using autograd::needs_grad;

/// Returns the vectors of `count` reflections as columns.
Tensor vectors_of(const Tensor& stored, std::int64_t count) {
  const Tensor ones = eye(stored.size(-2), count, stored.options());
  return stored.narrow(-1, 0, count).tril(-1) + ones;
}

/// The product of reflections is 1 - V T V^T with T = (1 + D S)^-1 D, where D has tau on its
/// diagonal and S is the part of V^T V above the diagonal (Puglisi, 1992).
struct Reflections {
  Tensor vectors, tau;  // V, and tau as a column
  Tensor overlaps;      // S
  bool transpose;

  Reflections(Tensor v, const Tensor& t, bool transposed)
      : vectors(std::move(v)),
        tau(t.unsqueeze(-1)),
        overlaps(vectors.mT().matmul(vectors).triu(1)),
        transpose(transposed) {}

  /// Returns (1 + D S)^-1 x, or with the transpose of 1 + D S.
  Tensor solve(const Tensor& x, bool transposed) const {
    const Tensor a = tau * overlaps;
    return linalg_solve_triangular(transposed ? a.mT() : a, x, !transposed, true, true);
  }

  /// Returns the factor Y of V in the product with x, which is x - V Y.
  Tensor weights(const Tensor& x) const {
    const Tensor along = vectors.mT().matmul(x);
    return transpose ? tau * solve(along, true) : solve(tau * along, false);
  }
};

struct ReflectGradient {
  Tensor x, vectors, tau;
};

/// Returns the gradients of x - V Y, of which g is the gradient.
ReflectGradient reflect_gradient(const Reflections& q, const Tensor& x, const Tensor& g) {
  const Tensor along = q.vectors.mT().matmul(x), y = q.weights(x);
  const Tensor gy = -q.vectors.mT().matmul(g);
  Tensor solved, factor_gradient, tau_gradient;  // of D S, and of D outside of it
  Tensor along_gradient;
  if (q.transpose) {
    const Tensor z = q.solve(along, true);
    solved = q.solve(q.tau * gy, false);
    tau_gradient = gy * z;
    factor_gradient = -z.matmul(solved.mT());
    along_gradient = solved;
  } else {
    solved = q.solve(gy, true);
    tau_gradient = solved * along;
    factor_gradient = -solved.matmul(y.mT());
    along_gradient = q.tau * solved;
  }
  const Tensor overlap_gradient = (q.tau * factor_gradient).triu(1);
  return {g + q.vectors.matmul(along_gradient),
          -g.matmul(y.mT()) + x.matmul(along_gradient.mT()) +
              q.vectors.matmul(overlap_gradient + overlap_gradient.mT()),
          tau_gradient.sum(-1) + (factor_gradient * q.overlaps).sum(-1)};
}

/// Returns the gradient of the matrix that stores vectors.
Tensor stored_gradient(const Tensor& vectors, std::int64_t columns) {
  const Tensor below = vectors.tril(-1);
  return constant_pad_nd(below, {0, columns - vectors.size(-1)});
}

void check_reflections(const char* name, const Tensor& stored, const Tensor& tau) {
  TERN_CHECK(stored.dim() >= 2, ShapeError, "torch.", name,
             ": input must have at least 2 dimensions, got sizes ", stored.sizes());
  TERN_CHECK(tau.dim() == stored.dim() - 1, ShapeError, "torch.", name,
             ": Expected tau to have one dimension less than input, but got tau.ndim equal to ",
             tau.dim(), " and input.ndim is equal to ", stored.dim());
  TERN_CHECK(tau.sizes().slice(0, tau.sizes().size() - 1) == detail::batch_of(stored), ShapeError,
             "torch.", name, ": Expected batch dimensions of tau to be equal to those of input, ",
             "but got sizes ", tau.sizes(), " and ", stored.sizes());
}

Tensor householder_product(const char* name, const Tensor& input, const Tensor& tau) {
  check_reflections(name, input, tau);
  const std::int64_t m = input.size(-2), n = input.size(-1), k = tau.size(-1);
  TERN_CHECK(m >= n, ShapeError, "torch.", name,
             ": input.shape[-2] must be greater than or equal to input.shape[-1], got sizes ",
             input.sizes());
  TERN_CHECK(n >= k, ShapeError, "torch.", name,
             ": input.shape[-1] must be greater than or equal to tau.shape[-1], got ", n, " and ",
             k);
  TERN_CHECK(tau.dtype() == input.dtype(), DTypeError, "torch.", name, ": tau dtype ",
             tau.scalar_type(), " does not match input dtype ", input.scalar_type());
  detail::check_same_device(name, {&input, &tau}, {"input", "tau"});
  detail::check_matrices(input);
  const auto columns = [m, n](const Tensor& like) { return eye(m, n, like.options()); };
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Reflections q(vectors_of(input.detach(), k), tau.detach(), false);
    const Tensor x = columns(input);
    out = x - q.vectors.matmul(q.weights(x));
  }
  if (needs_grad(input, tau)) {
    detail::record_outputs(
        "LinalgHouseholderProductBackward0", {&out}, {&input, &tau}, {&input, &tau},
        [=](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
          if (saved[1].numel() == 0) return std::vector<Tensor>(2);  // as in PyTorch
          const Reflections q(vectors_of(saved[0], k), saved[1], false);
          const ReflectGradient all = reflect_gradient(q, columns(saved[0]), g[0]);
          return std::vector<Tensor>{stored_gradient(all.vectors, n), all.tau};
        });
  }
  return out;
}

}  // namespace

std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  TERN_OP("geqrf", self);
  TERN_AUTOCAST(kFloat32, kUnchanged, geqrf, self);
  TERN_CHECK(self.dim() >= 2, ShapeError,
             "torch.geqrf: input must have at least 2 dimensions, got sizes ", self.sizes());
  detail::check_matrices(self);
  const std::int64_t m = self.size(-2), n = self.size(-1), k = std::min(m, n);
  Tensor a, tau;
  {
    const NoGradGuard no_grad;
    a = self.detach().clone(MemoryFormat::Contiguous);
    tau = zeros(detail::with_vector(detail::batch_of(self), k), self.options());
    for (std::int64_t j = 0; j < k; ++j) {
      const Tensor column = a.narrow(-1, j, 1).narrow(-2, j, m - j);
      // Of numbers near 1, the squares are neither 0 nor infinite.
      const Tensor size = column.abs().amax(-2, /*keepdim=*/true);
      const Tensor scale = where(size == 0, 1, size);
      const Tensor first = column.narrow(-2, 0, 1) / scale;
      const Tensor rest = column.narrow(-2, 1, m - j - 1).div_(scale);
      const Tensor length = linalg_vector_norm(rest, 2, {-2}, /*keepdim=*/true);
      const Tensor is_done = length == 0;  // there is nothing to reflect
      const Tensor reflected = where(is_done, first, -copysign(hypot(first, length), first));
      const Tensor factor = where(is_done, 0, (reflected - first) / reflected);
      rest.div_(where(is_done, 1, first - reflected));
      tau.narrow(-1, j, 1).copy_(factor.squeeze(-1));
      column.narrow(-2, 0, 1).copy_(reflected * scale);
      const Tensor right = a.narrow(-1, j + 1, n - j - 1), top = right.narrow(-2, j, 1);
      const Tensor below = right.narrow(-2, j + 1, m - j - 1);
      const Tensor change = factor * (top + rest.mT().matmul(below));
      top.sub_(change);
      below.sub_(rest.matmul(change));
    }
  }
  return {detail::without_gradient("geqrf", a, self), detail::without_gradient("geqrf", tau, self)};
}

Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  TERN_OP("linalg_householder_product", input, tau);
  TERN_AUTOCAST(kFloat32, kUnchanged, linalg_householder_product, input, tau);
  return householder_product("linalg.householder_product", input, tau);
}

Tensor orgqr(const Tensor& self, const Tensor& input2) {
  TERN_OP("orgqr", self, input2);
  TERN_AUTOCAST(kFloat32, kUnchanged, orgqr, self, input2);
  return householder_product("linalg.householder_product", self, input2);
}

Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, StrictBool left,
             StrictBool transpose) {
  TERN_OP("ormqr", self, input2, input3);
  TERN_AUTOCAST(kFloat32, kUnchanged, ormqr, self, input2, input3, left, transpose);
  TERN_CHECK(input3.dim() >= 2, ShapeError,
             "torch.ormqr: other must have at least 2 dimensions, got sizes ", input3.sizes());
  const int dim = left ? -2 : -1;
  TERN_CHECK(self.dim() < 2 || input3.size(dim) == self.size(-2), ShapeError,
             "torch.ormqr: other.shape[", dim, "] must be equal to input.shape[-2], got sizes ",
             input3.sizes(), " and ", self.sizes());
  check_reflections("ormqr", self, input2);
  const std::int64_t n = self.size(-1), k = input2.size(-1);
  TERN_CHECK(k == std::min(input3.size(dim), n), ShapeError,
             "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[", dim,
             "], input.shape[-1]), got sizes ", input2.sizes(), ", ", input3.sizes(), " and ",
             self.sizes());
  TERN_CHECK(input3.dim() == self.dim() && detail::batch_of(input3) == detail::batch_of(self),
             ShapeError, "torch.ormqr: Expected batch dimensions of other to be equal to those of ",
             "input, but got sizes ", input3.sizes(), " and ", self.sizes());
  TERN_CHECK(input2.dtype() == self.dtype() && input3.dtype() == self.dtype(), DTypeError,
             "torch.ormqr: Expected input, tau and other to have the same dtype, but got ",
             self.scalar_type(), ", ", input2.scalar_type(), " and ", input3.scalar_type());
  detail::check_same_device("ormqr", {&self, &input2, &input3}, {"self", "input2", "input3"});
  detail::check_matrices(self);
  // X Q is the transpose of Q^T X^T.
  const bool transposed = transpose == left, is_left = left;
  const auto from_left = [is_left](const Tensor& x) { return is_left ? x : x.mT(); };
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Reflections q(vectors_of(self.detach(), k), input2.detach(), transposed);
    const Tensor x = from_left(input3.detach());
    out = from_left(x - q.vectors.matmul(q.weights(x))).contiguous();
  }
  if (needs_grad(self, input2, input3)) {
    detail::record_outputs(
        "OrmqrBackward0", {&out}, {&self, &input2, &input3}, {&self, &input2, &input3},
        [=](const std::vector<Tensor>& g, const std::vector<Tensor>& saved) {
          if (saved[1].numel() == 0) return std::vector<Tensor>{{}, {}, g[0]};  // as in PyTorch
          const Reflections q(vectors_of(saved[0], k), saved[1], transposed);
          const ReflectGradient all = reflect_gradient(q, from_left(saved[2]), from_left(g[0]));
          return std::vector<Tensor>{stored_gradient(all.vectors, n), all.tau, from_left(all.x)};
        });
  }
  return out;
}

}  // namespace tern
