#include <tern/tern.h>

#include <cstdio>

// The first program of a user: a layer, its output, its gradient.
int main() {
  tern::manual_seed(0);
  tern::nn::Linear model(2, 2);
  const tern::Tensor y = model(tern::tensor({0.1, 0.2}));
  y.sum().backward();
  const double grad = model->weight.grad().sum().item<double>();
  std::printf("%.4f %.4f, gradient %.1f\n", y[0].item<double>(), y[1].item<double>(), grad);
  return grad > 0.59 && grad < 0.61 ? 0 : 1;
}
