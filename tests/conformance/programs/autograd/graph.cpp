#include <torch/torch.h>

#include <iostream>

// Names of nodes and the walk through the graph.
int main() {
  torch::Tensor x = torch::ones({2, 2}, torch::requires_grad());
  std::cout << (x + 2).grad_fn()->name() << "\n" << (x * x).grad_fn()->name() << "\n";
  std::cout << x.mean().grad_fn()->name() << " " << x.sum().grad_fn()->name() << "\n";
  std::cout << x.mm(x).grad_fn()->name() << " " << x.t().grad_fn()->name() << "\n";
  std::cout << x.exp().grad_fn()->name() << " " << x.view({4}).grad_fn()->name() << "\n";
  std::cout << x.relu().grad_fn()->name() << " " << x.softmax(1).grad_fn()->name() << "\n";
  std::cout << x.index_select(0, torch::tensor({0})).grad_fn()->name() << "\n";
  torch::Tensor y = (x * 3).sum();
  auto node = y.grad_fn();
  std::cout << node->num_inputs() << " " << node->next_edges().size() << "\n";
  auto next = node->next_edge(0).function;
  std::cout << next->name() << "\n";
  std::cout << next->next_edge(0).function->name() << "\n";
  std::cout << (x.grad_fn() == nullptr) << "\n";
  torch::Tensor z = x.clone();
  z.mul_(2);
  std::cout << z.grad_fn()->name() << "\n";
  z[0].add_(1);
  std::cout << z.grad_fn()->name() << "\n";
}
