#include <torch/torch.h>

#include <iostream>

// mark_dirty, set_materialize_grads and double backward through a custom function.
struct Double : torch::autograd::Function<Double> {
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x) {
    ctx->mark_dirty({x});
    return x.mul_(2);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list grads) {
    return {grads[0] * 2};
  }
};

struct Two : torch::autograd::Function<Two> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx,
                                                const torch::Tensor& x) {
    ctx->set_materialize_grads(false);
    return {x * 1, x * 2};
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list grads) {
    std::cout << grads[0].defined() << grads[1].defined() << "\n";
    return {grads[1] * 2};
  }
};

struct Cube : torch::autograd::Function<Cube> {
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x) {
    ctx->save_for_backward({x});
    return x.pow(3);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    torch::Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * 3 * x * x};
  }
};

int main() {
  torch::Tensor leaf = torch::ones({2}, torch::requires_grad());
  torch::Tensor x = leaf.clone();
  torch::Tensor y = Double::apply(x);
  std::cout << x << " " << y.is_same(x) << "\n";
  y.sum().backward();
  std::cout << leaf.grad() << "\n";
  auto parts = Two::apply(leaf);
  parts[1].sum().backward();
  std::cout << leaf.grad() << "\n";
  torch::Tensor z = torch::tensor({2.0}, torch::requires_grad());
  auto first = torch::autograd::grad({Cube::apply(z)}, {z}, {}, true, true)[0];
  auto second = torch::autograd::grad({first}, {z})[0];
  std::cout << first << second << "\n";
}
