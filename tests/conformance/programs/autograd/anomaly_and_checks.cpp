#include <torch/torch.h>

#include <iostream>

// Numbers against finite differences.
double numeric(const std::function<double(double)>& f, double x) {
  const double h = 1e-5;
  return (f(x + h) - f(x - h)) / (2 * h);
}

int main() {
  const std::vector<std::pair<const char*, std::function<torch::Tensor(const torch::Tensor&)>>>
      functions = {{"sin", [](const torch::Tensor& x) { return x.sin(); }},
                   {"tanh", [](const torch::Tensor& x) { return torch::tanh(x); }},
                   {"gelu", [](const torch::Tensor& x) { return torch::gelu(x); }},
                   {"softplus", [](const torch::Tensor& x) { return torch::softplus(x); }},
                   {"lgamma", [](const torch::Tensor& x) { return torch::lgamma(x); }},
                   {"erf", [](const torch::Tensor& x) { return torch::erf(x); }},
                   {"pow", [](const torch::Tensor& x) { return x.pow(2.5); }},
                   {"logsigmoid", [](const torch::Tensor& x) { return torch::log_sigmoid(x); }}};
  for (const auto& [name, f] : functions) {
    torch::Tensor x = torch::tensor(0.7, torch::dtype(torch::kDouble).requires_grad(true));
    f(x).backward();
    const auto& op = f;
    const double expected = numeric(
        [&op](double v) { return op(torch::tensor(v, torch::kDouble)).item<double>(); }, 0.7);
    std::cout << name << " " << (std::abs(x.grad().item<double>() - expected) < 1e-6) << "\n";
  }
}
