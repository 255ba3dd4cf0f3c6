#include <torch/torch.h>

#include <iostream>

// A function with its own gradient.
struct ScaledSquare : torch::autograd::Function<ScaledSquare> {
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x,
                               double scale) {
    ctx->save_for_backward({x});
    ctx->saved_data["scale"] = scale;
    return x * x * scale;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                               torch::autograd::tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    const double scale = ctx->saved_data["scale"].toDouble();
    return {grad_outputs[0] * saved[0] * 2 * scale, torch::Tensor()};
  }
};

int main() {
  torch::Tensor x = torch::tensor({1.0, 2.0, 3.0}, torch::requires_grad());
  torch::Tensor y = ScaledSquare::apply(x, 0.5);
  std::cout << y << "\n" << y.requires_grad() << "\n";
  y.sum().backward();
  std::cout << x.grad() << "\n";
  torch::NoGradGuard guard;
  std::cout << ScaledSquare::apply(x, 1.0).requires_grad() << "\n";
}
