#include <torch/torch.h>

#include <iostream>

// Filling, copying and converting.
int main() {
  torch::Tensor t = torch::empty({2, 3});
  t.fill_(1.5);
  std::cout << t << "\n";
  t.zero_();
  std::cout << t.sum().item<float>() << "\n";
  t.copy_(torch::arange(3));
  std::cout << t << "\n";
  torch::Tensor c = t.clone();
  c[0][0] = 9;
  std::cout << t[0][0].item<float>() << " " << c[0][0].item<float>() << "\n";
  torch::Tensor d = t.detach();
  d[1][1] = 7;
  std::cout << t[1][1].item<float>() << "\n";
  t.set_data(torch::ones({2}));
  std::cout << t.sizes() << "\n";
  torch::Tensor swapped = torch::arange(4);
  torch::Tensor other = torch::ones({1});
  std::swap(swapped, other);
  std::cout << swapped.numel() << other.numel() << "\n";
  torch::Tensor r = torch::zeros({2, 2});
  r.fill_diagonal_(3);
  std::cout << r << "\n";
  r.resize_({4});
  std::cout << r.sizes() << "\n";
  torch::Tensor like = torch::empty_like(r).copy_(r);
  std::cout << like.equal(r) << "\n";
  torch::Tensor out = torch::empty({0});
  torch::add_out(out, torch::ones({2}), torch::ones({2}));
  std::cout << out << "\n";
}
