#include "differential/form.h"

namespace tern::testing::differential {

std::vector<Form> autograd_forms() {
  return {
      SAME((Tensor & a, bool b), a.requires_grad_(b)),
      SAME((Tensor & a), a.retain_grad()),
      SAME((T a), a.detach()),
      SAME((Tensor & a), a.detach_()),
      FORM("a.data", (T a), a.data()),
      FORM("a.grad", (T a), a.grad()),
      FORM("set_grad(a, b)", (Tensor & a, const MaybeTensor& b), a.set_grad(b)),
      SAME((T a), a.item()),
      FORM("torch.set_grad_enabled(a)", (bool a), GradMode::set_enabled(a)),
      FORM("backward(a, b, c, d)", (T a, const MaybeTensor& b, std::optional<bool> c, bool d),
           a.backward(b, c ? std::optional<StrictBool>(*c) : std::nullopt, d)),
      FORM("torch.autograd.backward(a, b, inputs=c)",
           (const Tensors& a, const Tensors& b, const Tensors& c),
           autograd::backward(a, b, std::nullopt, false, c)),
      FORM("torch.autograd.grad(a, b, c, retain_graph=d, create_graph=e, allow_unused=f)",
           (const Tensors& a, const Tensors& b, const Tensors& c, std::optional<bool> d, bool e,
            bool f),
           autograd::grad(a, b, c, d ? std::optional<StrictBool>(*d) : std::nullopt, e, f)),
  };
}

}  // namespace tern::testing::differential
