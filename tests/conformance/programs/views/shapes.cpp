#include <torch/torch.h>

#include <iostream>

// Views that change the shape.
int main() {
  torch::Tensor t = torch::arange(24);
  std::cout << t.view({4, 6}).sizes() << t.view({-1, 8}).sizes() << t.reshape({2, 3, 4}).sizes()
            << "\n";
  torch::Tensor x = t.view({2, 3, 4});
  std::cout << x.transpose(0, 1).sizes() << x.permute({2, 0, 1}).sizes() << "\n";
  std::cout << x.unsqueeze(0).sizes() << x.unsqueeze(-1).sizes() << "\n";
  std::cout << torch::ones({1, 3, 1}).squeeze().sizes() << torch::ones({1, 3, 1}).squeeze(0).sizes()
            << "\n";
  std::cout << x.flatten().sizes() << x.flatten(1).sizes() << x.flatten(0, 1).sizes() << "\n";
  std::cout << x.unflatten(2, {2, 2}).sizes() << "\n";
  std::cout << x.movedim(0, 2).sizes() << x.swapaxes(0, 1).sizes() << x.swapdims(1, 2).sizes()
            << "\n";
  std::cout << x.view_as(torch::empty({6, 4})).sizes() << x.reshape_as(torch::empty({8, 3})).sizes()
            << "\n";
  std::cout << x[0].t().sizes() << "\n";
}
