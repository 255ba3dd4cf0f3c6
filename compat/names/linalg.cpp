#include <algorithm>
#include <limits>
#include <tuple>

#include <tern/compat/names/ops/forms.h>

namespace tern::compat {
namespace {

/// Returns the bound for the singular `values` [..., k] of the matrices `a`: the larger of atol and
/// rtol times the largest; rtol has the default of linalg_pinv().
Tensor bound_of(const Tensor& values, const Tensor& a, const Tensor& atol, const Tensor& rtol) {
  const double epsilon = a.dtype() == kDouble ? std::numeric_limits<double>::epsilon()
                                              : std::numeric_limits<float>::epsilon();
  const Tensor standard =
      full({}, epsilon * static_cast<double>(std::max(a.size(-1), a.size(-2))), values.options());
  Tensor relative = rtol;
  if (!rtol.defined())
    relative = atol.defined() ? where(atol.gt(0), zeros_like(standard), standard) : standard;
  const Tensor bound = values.amax(-1, true) * relative.unsqueeze(-1);
  return atol.defined() ? maximum(bound, atol.to(values.dtype()).unsqueeze(-1)) : bound;
}

}  // namespace

Tensor matrix_rank(const Tensor& input, const Tensor& atol, const Tensor& rtol, bool hermitian) {
  const Tensor values =
      hermitian ? linalg_eigvalsh(input.detach()).abs() : linalg_svdvals(input.detach());
  return values.gt(bound_of(values, input, atol, rtol)).sum(-1);
}

Tensor pinv(const Tensor& self, const Tensor& atol, const Tensor& rtol, bool hermitian) {
  Tensor left, values, right;
  if (hermitian) {
    std::tie(values, left) = linalg_eigh(self);
    right = left.mT();
  } else {
    std::tie(left, values, right) = linalg_svd(self, false);
  }
  const Tensor sizes = values.detach().abs();
  const Tensor is_zero = sizes.le(bound_of(sizes, self, atol, rtol));
  const Tensor inverse = values.masked_fill(is_zero, 1).reciprocal().masked_fill(is_zero, 0);
  return (right.mT() * inverse.unsqueeze(-2)).matmul(left.mT());
}

}  // namespace tern::compat
