#include <torch/torch.h>

#include <cstdio>

// A Jacobian row by row, and a Hessian times a vector.
torch::Tensor f(const torch::Tensor& x) {
  return torch::stack({x[0] * x[1], x[1].pow(2), x[0] + x[1].sin()});
}

int main() {
  torch::Tensor x = torch::tensor({1.5, 0.5}, torch::dtype(torch::kDouble).requires_grad(true));
  torch::Tensor y = f(x);
  for (int64_t i = 0; i < y.size(0); ++i) {
    torch::Tensor row = torch::autograd::grad({y[i]}, {x}, {}, /*retain_graph=*/true)[0];
    std::printf("%.4f %.4f\n", row[0].item<double>(), row[1].item<double>());
  }
  torch::Tensor v = torch::tensor({1.0, 2.0}, torch::kDouble);
  torch::Tensor loss = (x[0].pow(3) * x[1]).sum();
  torch::Tensor g = torch::autograd::grad({loss}, {x}, {}, {}, true)[0];
  torch::Tensor hv = torch::autograd::grad({g.dot(v)}, {x})[0];
  std::printf("%.4f %.4f\n", hv[0].item<double>(), hv[1].item<double>());
}
