#include <torch/torch.h>

#include <iostream>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Several inputs and outputs, some of which need no gradient.
class MulAdd : public torch::autograd::Function<MulAdd> {
 public:
  static variable_list forward(AutogradContext* ctx, torch::Tensor a, torch::Tensor b, int64_t k,
                               bool flag) {
    ctx->saved_data["k"] = k;
    ctx->saved_data["flag"] = flag;
    ctx->save_for_backward({a, b});
    torch::Tensor sizes = torch::zeros({2});
    ctx->mark_non_differentiable({sizes});
    return {a * b * k, a + b, sizes};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto saved = ctx->get_saved_variables();
    const int64_t k = ctx->saved_data["k"].toInt();
    std::cout << ctx->saved_data["flag"].toBool() << ctx->needs_input_grad(0)
              << ctx->needs_input_grad(1) << "\n";
    return {grads[0] * saved[1] * k + grads[1], grads[0] * saved[0] * k + grads[1], torch::Tensor(),
            torch::Tensor()};
  }
};

int main() {
  torch::Tensor a = torch::tensor({1.0, 2.0}, torch::requires_grad());
  torch::Tensor b = torch::tensor({3.0, 4.0});
  auto out = MulAdd::apply(a, b, 2, true);
  std::cout << out.size() << out[0].requires_grad() << out[1].requires_grad()
            << out[2].requires_grad() << "\n";
  (out[0].sum() + out[1].sum() * 10).backward();
  std::cout << a.grad() << "\n" << b.grad().defined() << "\n";
}
