#include <torch/torch.h>

#include <iostream>

using namespace torch::indexing;

// Writes through index_put_ and operator[].
int main() {
  torch::Tensor t = torch::zeros({3, 4});
  t.index_put_({0}, 1);
  t.index_put_({Slice(), 1}, 2.5);
  t.index_put_({Slice(1, None), Slice(2, None)}, torch::tensor({{7., 8.}, {9., 10.}}));
  std::cout << t << "\n";
  t.index_put_({Ellipsis, -1}, torch::arange(3).to(torch::kFloat));
  std::cout << t << "\n";
  t[0][0] = 42;
  t[2] = torch::ones({4}) * -1;
  std::cout << t << "\n";
  t.index_put_({t < 0}, 0);
  std::cout << t << "\n";
  t.index_put_({torch::tensor({0, 2}), torch::tensor({0, 3})}, torch::tensor({-5.f, -6.f}));
  std::cout << t << "\n";
  torch::Tensor counts = torch::zeros({3});
  counts.index_put_({torch::tensor({0, 0, 2})}, torch::tensor(1.0f), /*accumulate=*/true);
  std::cout << counts << "\n";
  torch::Tensor row = t[1];
  row.fill_(3);
  std::cout << t.sum(1) << "\n";
  t.index({0}) = torch::zeros({4});
  std::cout << t[0] << "\n";
}
