#include <torch/torch.h>

#include <functional>
#include <iostream>

using torch::Tensor;

// torch::binary_cross_entropy takes sizes that agree without dimensions of size 1; the functional
// does not.
static void show(const char* what, const std::function<Tensor()>& make) {
  std::cout << what << ": ";
  try {
    const Tensor result = make();
    std::cout << torch::toString(result.scalar_type()) << " " << result.sizes() << " "
              << result.detach().to(torch::kDouble).sum().item<double>() << "\n";
  } catch (const c10::Error&) {
    std::cout << "error\n";
  }
}

int main() {
  namespace F = torch::nn::functional;
  const Tensor p = torch::linspace(0.05, 0.95, 6).view({2, 3}).requires_grad_();
  const Tensor y = (torch::linspace(0.9, 0.1, 6) > 0.5).to(torch::kFloat).view({2, 3});
  const Tensor w = torch::linspace(0.5, 2, 3);
  show("torch::binary_cross_entropy(p, y)", [&] { return torch::binary_cross_entropy(p, y); });
  show("torch::binary_cross_entropy(p, y, w, at::Reduction::Sum)",
       [&] { return torch::binary_cross_entropy(p, y, w, at::Reduction::Sum); });
  show("torch::binary_cross_entropy(p, y, {}, at::Reduction::None)",
       [&] { return torch::binary_cross_entropy(p, y, {}, at::Reduction::None); });
  show("torch::binary_cross_entropy(p.view({2, 1, 3}), y, w, 0)", [&] {
    return torch::binary_cross_entropy(p.view({2, 1, 3}), y, w, 0);
  });
  show("torch::binary_cross_entropy(p.view({2, 3, 1}), y.view({1, 2, 3}), {}, 0)", [&] {
    return torch::binary_cross_entropy(p.view({2, 3, 1}), y.view({1, 2, 3}), {}, 0);
  });
  show("torch::binary_cross_entropy(p, y[0])",
       [&] { return torch::binary_cross_entropy(p, y[0]); });
  show("torch::binary_cross_entropy(p, y.view({6}))",
       [&] { return torch::binary_cross_entropy(p, y.view({6})); });
  show("torch::binary_cross_entropy(p, y.to(torch::kDouble))",
       [&] { return torch::binary_cross_entropy(p, y.to(torch::kDouble)); });
  show("torch::binary_cross_entropy(p * 2, y)",
       [&] { return torch::binary_cross_entropy(p * 2, y); });
  show("F::binary_cross_entropy(p, y)", [&] { return F::binary_cross_entropy(p, y); });
  show("F::binary_cross_entropy(p.view({2, 1, 3}), y)", [&] {
    return F::binary_cross_entropy(p.view({2, 1, 3}), y);
  });
  show("F::binary_cross_entropy(p, y[0])", [&] { return F::binary_cross_entropy(p, y[0]); });
  show("torch::binary_cross_entropy_with_logits(p, y)",
       [&] { return torch::binary_cross_entropy_with_logits(p, y); });
  show("torch::binary_cross_entropy_with_logits(p, y, w, w, 2)",
       [&] { return torch::binary_cross_entropy_with_logits(p, y, w, w, 2); });
  show("torch::binary_cross_entropy_with_logits(p[0], y, {}, {}, 0)",
       [&] { return torch::binary_cross_entropy_with_logits(p[0], y, {}, {}, 0); });
  show("torch::binary_cross_entropy_with_logits(p, y[0])",
       [&] { return torch::binary_cross_entropy_with_logits(p, y[0]); });
  show("torch::binary_cross_entropy_with_logits(p, y.to(torch::kDouble))",
       [&] { return torch::binary_cross_entropy_with_logits(p, y.to(torch::kDouble)); });
  show("F::binary_cross_entropy_with_logits(p[0], y)",
       [&] { return F::binary_cross_entropy_with_logits(p[0], y); });
  torch::binary_cross_entropy(p.view({2, 1, 3}), y, {}, 2).backward();
  std::cout << p.grad() << "\n";
}
