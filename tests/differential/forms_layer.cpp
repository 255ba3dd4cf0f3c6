#include "differential/form.h"

namespace tern::testing::differential {

std::vector<Form> layer_forms() {
  using M = const MaybeTensor&;
  return {
      SAME((T a, T b), a.matmul(b)),
      SAME((T a, T b), a.mm(b)),
      SAME((T a, T b), a.bmm(b)),
      SAME((T a, T b), a.mv(b)),
      SAME((T a, T b), a.dot(b)),
      FORM("torch.addmm(a, b, c, beta=d, alpha=e)", (T a, T b, T c, S d, S e),
           addmm(a, b, c, d, e)),
      FORM("F.linear(a, b, c)", (T a, T b, M c), linear(a, b, c)),
      FORM("torch.linalg.inv(a)", (T a), linalg_inv(a)),
      FORM("torch.linalg.solve(a, b, left=c)", (T a, T b, bool c), linalg_solve(a, b, c)),
      FORM("torch.linalg.cholesky(a, upper=b)", (T a, bool b), linalg_cholesky(a, b)),
      FORM("torch.linalg.det(a)", (T a), linalg_det(a)),
      SAME((T a), a.inverse()),
      SAME((T a), a.det()),
      FORM("F.mse_loss(a, b, reduction=c)", (T a, T b, Reduction c), mse_loss(a, b, c)),
      FORM("F.binary_cross_entropy(a, b, c, reduction=d)", (T a, T b, M c, Reduction d),
           binary_cross_entropy(a, b, c, d)),
      FORM("F.binary_cross_entropy_with_logits(a, b, c, pos_weight=d, reduction=e)",
           (T a, T b, M c, M d, Reduction e), binary_cross_entropy_with_logits(a, b, c, d, e)),
      FORM("F.nll_loss(a, b, c, reduction=d, ignore_index=e)",
           (T a, const Indices& b, M c, Reduction d, Int e), nll_loss(a, b, c, d, e)),
      FORM("F.cross_entropy(a, b, c, reduction=d, ignore_index=e, label_smoothing=f)",
           (T a, T b, M c, Reduction d, Int e, double f), cross_entropy_loss(a, b, c, d, e, f)),
      FORM("F.layer_norm(a, b, c, d, e)", (T a, const Sizes& b, M c, M d, double e),
           layer_norm(a, b, c, d, e)),
      FORM("F.batch_norm(a, d, e, b, c, f, g, h)",
           (T a, M b, M c, M d, M e, bool f, double g, double h),
           batch_norm(a, b, c, d, e, f, g, h)),
      FORM("F.dropout(a, b, False)", (T a, double b), dropout(a, b, false)),
  };
}

}  // namespace tern::testing::differential
