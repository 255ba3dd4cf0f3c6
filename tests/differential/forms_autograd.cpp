#include "differential/form.h"

namespace tern::testing::differential {

namespace {

std::optional<StrictBool> flag(std::optional<bool> value) {
  return value ? std::optional<StrictBool>(*value) : std::nullopt;
}

// Copies tensors like copies() in torch_side.py.
Tensors copies(Tensors tensors) {
  for (Tensor& tensor : tensors) {
    if (tensor.defined()) tensor = tensor.contiguous().clone();
  }
  return tensors;
}

// Gradients of gradients depend on the caller's weights, so later in-place changes of the weights
// must not matter.
Tensors weights(Tensors gradients, bool create_graph) {
  return create_graph ? copies(std::move(gradients)) : gradients;
}

}  // namespace

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
           a.backward(weights({b}, d)[0], flag(c), d)),
      FORM("backward_inputs(a, b, c)", (const Tensors& a, const Tensors& b, const Tensors& c),
           autograd::backward(a, b, std::nullopt, false, c)),
      FORM("grad(a, b, c, d, e, f)",
           (const Tensors& a, const Tensors& b, const Tensors& c, std::optional<bool> d, bool e,
            bool f),
           copies(autograd::grad(a, b, weights(c, e), flag(d), e, f))),
  };
}

}  // namespace tern::testing::differential
