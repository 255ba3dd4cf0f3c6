#include <torch/torch.h>

#include <iostream>

// Hooks of nodes, post hooks and accumulators.
int main() {
  torch::Tensor x = torch::ones({2}, torch::requires_grad());
  torch::Tensor y = x * 2;
  std::cout << y.grad_fn()->getptr()->name() << y.grad_fn()->num_outputs() << "\n";
  auto edge = torch::autograd::impl::gradient_edge(y);
  std::cout << edge.is_valid() << edge.input_nr << edge.function->name() << "\n";
  auto accumulator = torch::autograd::impl::grad_accumulator(x);
  std::cout << accumulator->name() << (accumulator == torch::autograd::impl::grad_accumulator(x))
            << "\n";
  y.sum().backward();
  std::cout << x.grad() << y.is_leaf() << x.output_nr() << "\n";
  std::cout << torch::autograd::impl::gradient_edge(x).function->name() << "\n";
  torch::Tensor z = torch::ones({2}).set_requires_grad(true);
  z.grad();
  std::cout << z.grad().defined() << torch::autograd::any_variable_requires_grad({x, y.detach()})
            << "\n";
}
