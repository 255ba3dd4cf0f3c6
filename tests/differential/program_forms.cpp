#include "differential/form.h"

// Forms of calls that are no op of core/ops: how programs make tensors, and autograd.

namespace tern::testing::differential {
namespace {

/// Makes a tensor of the given elements in one of four layouts. Avoids ops that programs test, as
/// far as possible.
Tensor make(ScalarType dtype, const Sizes& sizes, const Values& values, const std::string& layout,
            bool requires_grad) {
  const NoGradGuard no_grad;
  std::vector<Scalar> numbers;
  for (const Json& value : values.list) numbers.push_back(read_number(value));
  Tensor dense =
      empty(sizes, TensorOptions(kCPU).dtype(is_floating_point(dtype) ? kDouble : kLong));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_floating_point(dtype)) {
      dense.data_ptr<double>()[i] = numbers[i].toDouble();
    } else {
      dense.data_ptr<std::int64_t>()[i] = numbers[i].toLong();
    }
  }
  Tensor made = dense.to(get_default_device(), dtype);
  if (layout == "transposed") {
    made = made.transpose(0, -1).contiguous().transpose(0, -1);
  } else if (layout == "gaps") {
    Sizes wide = sizes;
    wide.back() *= 2;
    made = zeros(wide, dtype).slice(-1, 0, std::nullopt, 2).copy_(made);
  } else if (layout == "expanded") {
    made = made.narrow(0, 0, std::min<std::int64_t>(1, made.size(0))).clone().expand(sizes);
  }
  if (layout != "contiguous") made = made.detach();
  return made.requires_grad_(requires_grad);
}

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

/// FORM(Python, (parameters), C++); the parameters are a, b, c, .. in both languages. SAME if both
/// texts are equal.
#define FORM(python, parameters, ...) \
  make_form(                          \
      python, #__VA_ARGS__, +[] parameters { return __VA_ARGS__; })
#define SAME(parameters, ...) FORM(#__VA_ARGS__, parameters, __VA_ARGS__)

[[maybe_unused]] const bool kForms = add_forms({
    SAME((ScalarType a, const Sizes& b, const Values& c, const std::string& d, bool e),
         make(a, b, c, d, e)),
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
});

#undef SAME
#undef FORM

}  // namespace
}  // namespace tern::testing::differential
