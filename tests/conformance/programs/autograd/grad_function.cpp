#include <torch/torch.h>

#include <iostream>

// autograd::grad and autograd::backward with several tensors.
int main() {
  torch::Tensor a = torch::tensor({2.0, 3.0}, torch::requires_grad());
  torch::Tensor b = torch::tensor({4.0, 5.0}, torch::requires_grad());
  auto grads = torch::autograd::grad({(a * b).sum()}, {a, b});
  std::cout << grads[0] << "\n" << grads[1] << "\n" << a.grad().defined() << "\n";
  auto weighted =
      torch::autograd::grad({a * a, b * 2}, {a, b}, {torch::ones({2}), torch::full({2}, 3)});
  std::cout << weighted[0] << "\n" << weighted[1] << "\n";
  auto unused = torch::autograd::grad({a.sum()}, {a, b}, {}, false, false, /*allow_unused=*/true);
  std::cout << unused[0] << "\n" << unused[1].defined() << "\n";
  torch::autograd::backward({(a + b).sum(), (a - b).sum()}, {});
  std::cout << a.grad() << "\n" << b.grad() << "\n";
  torch::Tensor y = a.exp().sum();
  y.backward({}, /*retain_graph=*/true);
  y.backward();
  std::cout << a.grad() << "\n";
  torch::Tensor middle = a * 2;
  middle.retain_grad();
  (middle * middle).sum().backward();
  std::cout << middle.grad() << " " << middle.retains_grad() << "\n";
  torch::Tensor loss = (a * b).sum();
  loss.backward({}, c10::nullopt, false, std::vector<torch::Tensor>{b});
  std::cout << b.grad() << "\n";
}
