// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

/// Returns P of the pivots, in the dtype of `lu`.
Tensor permutation_of(const Tensor& lu, const Tensor& pivots) {
  const std::int64_t m = lu.size(-2), k = std::min(m, lu.size(-1));
  const DimVector sizes = detail::with_vector(detail::batch_of(lu), k);
  TERN_CHECK(pivots.dtype() == kInt, DTypeError,
             "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
             "dtype. Note: this function is intended to be used with the output produced by "
             "torch.linalg.lu_factor. Got ",
             pivots.scalar_type());
  TERN_CHECK(pivots.sizes() == IntArrayRef(sizes), ShapeError, "Expected LU_pivots to have shape ",
             IntArrayRef(sizes), " but got ", pivots.sizes(), " instead.");
  detail::check_same_device("lu_unpack", {&lu, &pivots}, {"LU_data", "LU_pivots"});
  TERN_CHECK(pivots.is_meta() || ((pivots >= 1) & (pivots <= m)).all().item<bool>(), Error,
             "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive. Did you "
             "properly pass the result of lu_factor?");
  const DimVector square = detail::with_matrix(detail::batch_of(lu), m, m);
  const Tensor rows = eye(m, lu.options()).expand(square).contiguous();
  return detail::permute_rows(rows, pivots, /*reverse=*/true);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                             StrictBool unpack_data, StrictBool unpack_pivots) {
  TERN_OP("lu_unpack", LU_data, LU_pivots);
  TERN_CHECK(LU_data.dim() >= 2, ShapeError,
             "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: ",
             LU_data.sizes(), " instead");
  const std::int64_t m = LU_data.size(-2), n = LU_data.size(-1), k = std::min(m, n);
  Tensor p, l, u;
  {
    const NoGradGuard no_grad;
    const Tensor data = LU_data.detach();
    p = unpack_pivots ? permutation_of(data, LU_pivots.detach()) : empty({0}, data.options());
    l = unpack_data ? data.narrow(-1, 0, k).tril(-1) + eye(m, k, data.options())
                    : empty({0}, data.options());
    u = unpack_data ? data.narrow(-2, 0, k).triu() : empty({0}, data.options());
  }
  if (unpack_data && autograd::needs_grad(LU_data)) {
    detail::record_outputs("LuUnpackBackward0", {&l, &u}, {&LU_data}, {},
                           [=](const std::vector<Tensor>& g, const std::vector<Tensor>& /*saved*/) {
                             Tensor sum;
                             if (g[0].defined()) sum = constant_pad_nd(g[0].tril(-1), {0, n - k});
                             if (g[1].defined()) {
                               const Tensor upper = constant_pad_nd(g[1].triu(), {0, 0, 0, m - k});
                               sum = sum.defined() ? sum + upper : upper;
                             }
                             return std::vector<Tensor>{sum};
                           });
  }
  return {p, l, u};
}

}  // namespace tern
