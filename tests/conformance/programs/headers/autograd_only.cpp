#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include <iostream>

// A custom function with the inner headers of autograd.
struct Negate : torch::autograd::Function<Negate> {
  static torch::autograd::Variable forward(torch::autograd::AutogradContext* ctx,
                                           torch::autograd::Variable x) {
    return -x;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    return {-grads[0]};
  }
};

int main() {
  torch::Tensor x = torch::ones({2}, torch::requires_grad());
  Negate::apply(x).sum().backward();
  std::cout << x.grad() << "\n";
}
