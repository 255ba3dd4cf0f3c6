#include <torch/torch.h>

#include <iostream>

// What autograd does, from one product to a gradient penalty and a function of one's own.

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

void basics() {
  auto x = torch::ones({2, 2}, torch::requires_grad());
  auto y = x + 2;
  std::cout << y << std::endl << y.grad_fn()->name() << std::endl;
  auto z = y * y * 3;
  auto out = z.mean();
  std::cout << z << std::endl << z.grad_fn()->name() << std::endl;
  std::cout << out << std::endl << out.grad_fn()->name() << std::endl;
  out.backward();
  std::cout << x.grad() << std::endl;

  auto a = torch::ones({2, 2}) * 3;
  std::cout << a.requires_grad() << std::endl;
  a.requires_grad_(true);
  std::cout << (a * a).sum().grad_fn()->name() << std::endl;

  auto u = torch::tensor({0.5, 1.0, 2.0}, torch::requires_grad());
  auto w = u * 2;
  while (w.norm().item<double>() < 1000) w = w * 2;
  w.backward(torch::tensor({0.1, 1.0, 0.0001}, torch::kFloat));
  std::cout << u.grad() << std::endl;
  {
    torch::NoGradGuard no_grad;
    std::cout << u.pow(2).requires_grad() << std::endl;
  }
  auto d = u.detach();
  std::cout << d.requires_grad() << d.eq(u).all().item<bool>() << std::endl;
}

void penalty() {
  auto model = torch::nn::Linear(4, 3);
  auto input = torch::randn({3, 4}).requires_grad_(true);
  auto output = model(input);
  auto target = torch::randn({3, 3});
  auto loss = torch::nn::MSELoss()(output, target);
  auto grad_output = torch::ones_like(output);
  auto gradient = torch::autograd::grad({output}, {input}, /*grad_outputs=*/{grad_output},
                                        /*retain_graph=*/true, /*create_graph=*/true)[0];
  auto gradient_penalty = torch::pow((gradient.norm(2, /*dim=*/1) - 1), 2).mean();
  auto combined = loss + gradient_penalty;
  combined.backward();
  std::cout << input.grad() << std::endl;
}

class LinearFunction : public torch::autograd::Function<LinearFunction> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor input, torch::Tensor weight,
                               torch::Tensor bias = torch::Tensor()) {
    ctx->save_for_backward({input, weight, bias});
    auto output = input.mm(weight.t());
    if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
    return output;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    auto grad = grad_outputs[0];
    auto grad_bias = torch::Tensor();
    if (saved[2].defined()) grad_bias = grad.sum(0);
    return {grad.mm(saved[1]), grad.t().mm(saved[0]), grad_bias};
  }
};

class MulConstant : public torch::autograd::Function<MulConstant> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor tensor, double constant) {
    ctx->saved_data["constant"] = constant;
    return tensor * constant;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
    return {grad_outputs[0] * ctx->saved_data["constant"].toDouble(), torch::Tensor()};
  }
};

int main() {
  std::cout << std::boolalpha;
  torch::manual_seed(1);
  basics();
  penalty();
  auto x = torch::randn({2, 3}).requires_grad_();
  auto weight = torch::randn({4, 3}).requires_grad_();
  auto y = LinearFunction::apply(x, weight);
  y.sum().backward();
  std::cout << x.grad() << std::endl << weight.grad() << std::endl;
  auto z = MulConstant::apply(torch::ones({2}, torch::requires_grad()), 5.5);
  std::cout << z << std::endl << z.requires_grad() << std::endl;
}
