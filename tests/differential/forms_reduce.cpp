#include "differential/form.h"

namespace tern::testing::differential {

std::vector<Form> reduce_forms() {
  return {
      SAME((T a), a.sum()),
      FORM("a.sum(b, c)", (T a, const Dims& b, bool c), a.sum(b, c)),
      FORM("a.sum(dtype=b)", (T a, ScalarType b), a.sum(b)),
      FORM("a.sum(b, c, dtype=d)", (T a, const Dims& b, bool c, std::optional<ScalarType> d),
           a.sum(b, c, d)),
      SAME((T a), a.mean()),
      SAME((T a, const Dims& b, bool c), a.mean(b, c)),
      SAME((T a), a.prod()),
      SAME((T a, Dim b, bool c), a.prod(b, c)),
#define TERN_SPREAD(name)                                                                 \
  SAME((T a), a.name()), SAME((T a, bool b), a.name(b)),                                  \
      FORM("a." #name "(b, unbiased=c, keepdim=d)", (T a, const Dims& b, bool c, bool d), \
           a.name(b, c, d)),
      TERN_SPREAD(var) TERN_SPREAD(std)
#undef TERN_SPREAD
          SAME((T a), a.norm()),
      FORM("torch.norm(a, b)", (T a, S b), norm(a, b)),
      SAME((T a, S b, const Dims& c, bool d), a.norm(b, c, d)),
      SAME((T a, const Dims& b, bool c), a.amax(b, c)),
      SAME((T a, const Dims& b, bool c), a.amin(b, c)),
      SAME((T a), a.max()),
      SAME((T a), a.min()),
      SAME((T a, Dim b, bool c), a.max(b, c)),
      SAME((T a, Dim b, bool c), a.min(b, c)),
      SAME((T a), a.argmax()),
      SAME((T a), a.argmin()),
      SAME((T a, Dim b, bool c), a.argmax(b, c)),
      SAME((T a, Dim b, bool c), a.argmin(b, c)),
      SAME((T a), a.all()),
      SAME((T a), a.any()),
      SAME((T a, Dim b, bool c), a.all(b, c)),
      SAME((T a, Dim b, bool c), a.any(b, c)),
      SAME((T a, Dim b), a.softmax(b)),
      SAME((T a, Dim b), a.log_softmax(b)),
  };
}

}  // namespace tern::testing::differential
