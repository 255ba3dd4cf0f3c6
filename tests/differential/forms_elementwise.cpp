#include "differential/form.h"

namespace tern::testing::differential {

std::vector<Form> elementwise_forms() {
  std::vector<Form> forms = {
      SAME((T a, T b), a.add(b)),
      FORM("a.add(b, alpha=c)", (T a, T b, S c), a.add(b, c)),
      FORM("a.add(b) #1", (T a, S b), a.add(b)),
      FORM("a.add(b, alpha=c) #1", (T a, S b, S c), a.add(b, c)),
      FORM("a.add_(b, alpha=c)", (Tensor & a, T b, S c), a.add_(b, c)),
      FORM("a.add_(b, alpha=c) #1", (Tensor & a, S b, S c), a.add_(b, c)),
      SAME((T a, T b), a.sub(b)),
      FORM("a.sub(b, alpha=c)", (T a, T b, S c), a.sub(b, c)),
      FORM("a.sub(b) #1", (T a, S b), a.sub(b)),
      FORM("a.sub(b, alpha=c) #1", (T a, S b, S c), a.sub(b, c)),
      FORM("a.sub_(b, alpha=c)", (Tensor & a, T b, S c), a.sub_(b, c)),
      FORM("a.sub_(b, alpha=c) #1", (Tensor & a, S b, S c), a.sub_(b, c)),
      FORM("torch.rsub(a, b)", (T a, S b), rsub(a, b)),
      SAME((T a, T b), a.mul(b)),
      FORM("a.mul(b) #1", (T a, S b), a.mul(b)),
      SAME((Tensor & a, T b), a.mul_(b)),
      FORM("a.mul_(b) #1", (Tensor & a, S b), a.mul_(b)),
      SAME((T a, T b), a.div(b)),
      FORM("a.div(b) #1", (T a, S b), a.div(b)),
      FORM("b / a", (T a, S b), b / a),
      SAME((Tensor & a, T b), a.div_(b)),
      FORM("a.div_(b) #1", (Tensor & a, S b), a.div_(b)),
      SAME((T a, T b), a.remainder(b)),
      FORM("a.remainder(b) #1", (T a, S b), a.remainder(b)),
      SAME((T a, T b), a.pow(b)),
      FORM("a.pow(b) #1", (T a, S b), a.pow(b)),
      FORM("torch.pow(b, a)", (T a, S b), tern::pow(b, a)),
      SAME((Tensor & a, S b), a.pow_(b)),
      SAME((T a, T b), a.maximum(b)),
      SAME((T a, T b), a.minimum(b)),
      FORM("a.addcmul(b, c, value=d)", (T a, T b, T c, S d), a.addcmul(b, c, d)),
      FORM("a.addcmul_(b, c, value=d)", (Tensor & a, T b, T c, S d), a.addcmul_(b, c, d)),
      SAME((T a, T b, S c), a.lerp(b, c)),
      SAME((Tensor & a, T b, S c), a.lerp_(b, c)),
      SAME((T a, std::optional<Scalar> b, std::optional<Scalar> c), a.clamp(b, c)),
      SAME((Tensor & a, std::optional<Scalar> b, std::optional<Scalar> c), a.clamp_(b, c)),
      SAME((T a, S b), a.clamp_min(b)),
      SAME((T a, S b), a.clamp_max(b)),
      SAME((Tensor & a, S b), a.clamp_min_(b)),
      SAME((Tensor & a, S b), a.clamp_max_(b)),
      SAME((T a, const Mask& b, S c), a.masked_fill(b, c)),
      SAME((Tensor & a, const Mask& b, S c), a.masked_fill_(b, c)),
      SAME((T a, const Mask& b, T c), a.where(b, c)),
      FORM("torch.where(a, b, c)", (const Mask& a, T b, S c), where(a, b, c)),
      FORM("torch.where(a, b, c) #1", (const Mask& a, S b, T c), where(a, b, c)),
      SAME((T a), a.isnan()),
      SAME((T a), a.isinf()),
      SAME((T a), a.isfinite()),
      SAME((T a), a.logical_not()),
      SAME((T a, T b), a.logical_and(b)),
      SAME((T a, T b), a.logical_or(b)),
      SAME((T a, T b), a.logical_xor(b)),
      SAME((T a, T b), a.equal(b)),
      FORM("a.isclose(b, c, d, e)", (T a, T b, double c, double d, bool e), a.isclose(b, c, d, e)),
      SAME((T a, T b, double c, double d, bool e), a.allclose(b, c, d, e)),
      SAME((T a), a.bitwise_not()),
      SAME((Tensor & a), a.bitwise_not_()),
#define TERN_BITS(name)                                                          \
  SAME((T a, T b), a.name(b)), FORM("a." #name "(b) #1", (T a, S b), a.name(b)), \
      FORM("torch." #name "(b, a)", (T a, S b), name(b, a)),                     \
      SAME((Tensor & a, T b), a.name##_(b)),                                     \
      FORM("a." #name "_(b) #1", (Tensor & a, S b), a.name##_(b)),
      TERN_BITS(bitwise_and) TERN_BITS(bitwise_or) TERN_BITS(bitwise_xor)
#undef TERN_BITS
#define TERN_COMPARISON(name, symbol) \
  SAME((T a, T b), a.name(b)), FORM("a." #name "(b) #1", (T a, S b), a.name(b)),
          TERN_COMPARISON(eq, ==) TERN_COMPARISON(ne, !=) TERN_COMPARISON(lt, <) TERN_COMPARISON(
              le, <=) TERN_COMPARISON(gt, >) TERN_COMPARISON(ge, >=)
#undef TERN_COMPARISON
#define TERN_UNARY(name, ...) SAME((T a), a.name()), SAME((Tensor & a), a.name##_()),
              TERN_UNARY(neg) TERN_UNARY(abs) TERN_UNARY(sign) TERN_UNARY(square) TERN_UNARY(floor)
                  TERN_UNARY(ceil) TERN_UNARY(round) TERN_UNARY(trunc) TERN_UNARY(relu)
                      TERN_UNARY(exp) TERN_UNARY(expm1) TERN_UNARY(log) TERN_UNARY(log1p)
                          TERN_UNARY(sqrt) TERN_UNARY(rsqrt) TERN_UNARY(reciprocal) TERN_UNARY(sin)
                              TERN_UNARY(cos) TERN_UNARY(tanh) TERN_UNARY(sigmoid)
#undef TERN_UNARY
  };
  return forms;
}

}  // namespace tern::testing::differential
