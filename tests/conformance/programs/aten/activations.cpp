#include <torch/torch.h>

#include <functional>
#include <iostream>

using torch::Tensor;

// Activations, dropout and distances, with arguments in the order of ATen.
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
  const Tensor x = torch::linspace(-2, 2, 12).view({3, 4}), v = torch::linspace(0, 1, 4);
  const Tensor i = torch::arange(12).view({3, 4});
  show("torch::gelu(x, \"tanh\")", [&] { return torch::gelu(x, "tanh"); });
  show("torch::gelu(x, \"other\")", [&] { return torch::gelu(x, "other"); });
  show("torch::hardtanh(x, 1, -1)", [&] { return torch::hardtanh(x, 1, -1); });
  show("torch::hardtanh(i, 2, 5)", [&] { return torch::hardtanh(i, 2, 5); });
  show("torch::elu(x, 0.5, 2, 3)", [&] { return torch::elu(x, 0.5, 2, 3); });
  show("torch::celu(x, 0.5)", [&] { return torch::celu(x, 0.5); });
  show("torch::celu(x, 0)", [&] { return torch::celu(x, 0); });
  show("torch::selu(i)", [&] { return torch::selu(i); });
  show("torch::threshold(i, 3, 20)", [&] { return torch::threshold(i, 3, 20); });
  show("torch::leaky_relu(i, 0.5)", [&] { return torch::leaky_relu(i, 0.5); });
  show("torch::leaky_relu(x, -0.5)", [&] { return torch::leaky_relu(x, -0.5); });
  show("torch::relu(i)", [&] { return torch::relu(i); });
  show("torch::relu(x > 0)", [&] { return torch::relu(x > 0); });
  show("torch::prelu(x, v)", [&] { return torch::prelu(x, v); });
  show("torch::prelu(x, torch::ones({3}))", [&] { return torch::prelu(x, torch::ones({3})); });
  show("torch::rrelu(x)", [&] { return torch::rrelu(x); });
  show("torch::rrelu(x, 0.5, 0.5, true)", [&] { return torch::rrelu(x, 0.5, 0.5, true); });
  show("torch::rrelu(x, 0.5, 0.2, true)", [&] { return torch::rrelu(x, 0.5, 0.2, true); });
  show("torch::softplus(x, 2, 1)", [&] { return torch::softplus(x, 2, 1); });
  show("torch::softshrink(x, -1)", [&] { return torch::softshrink(x, -1); });
  show("torch::hardshrink(x, 0.7)", [&] { return torch::hardshrink(x, 0.7); });
  show("torch::glu(x, 1)", [&] { return torch::glu(x, 1); });
  show("torch::glu(x, 0)", [&] { return torch::glu(x, 0); });
  show("torch::dropout(x, 1, true)", [&] { return torch::dropout(x, 1, true); });
  show("torch::dropout(x, 1.5, true)", [&] { return torch::dropout(x, 1.5, true); });
  show("torch::feature_dropout(x, 0, true)", [&] { return torch::feature_dropout(x, 0, true); });
  show("torch::alpha_dropout(x, 1, true)", [&] { return torch::alpha_dropout(x, 1, true); });
  show("torch::feature_alpha_dropout(x, 0.5, false)",
       [&] { return torch::feature_alpha_dropout(x, 0.5, false); });
  show("torch::pairwise_distance(x, v, 1, 0, true)",
       [&] { return torch::pairwise_distance(x, v, 1, 0, true); });
  show("torch::pdist(x, 0)", [&] { return torch::pdist(x, 0); });
  show("torch::pdist(x, -1)", [&] { return torch::pdist(x, -1); });
  show("torch::cdist(x, x, 1)", [&] { return torch::cdist(x, x, 1); });
  show("torch::cdist(x, v)", [&] { return torch::cdist(x, v); });
  show("torch::cosine_similarity(x, v, 1)", [&] { return torch::cosine_similarity(x, v, 1); });
  show("torch::cosine_similarity(v, v, 0, -1)",
       [&] { return torch::cosine_similarity(v, v, 0, -1); });
  show("torch::bilinear(x, x, torch::ones({2, 4, 4}), torch::ones({2}))", [&] {
    return torch::bilinear(x, x, torch::ones({2, 4, 4}), torch::ones({2}));
  });
  show("torch::softmax(i, 1, torch::kDouble)",
       [&] { return torch::softmax(i, 1, torch::kDouble); });
  show("torch::softmax(i, 1)", [&] { return torch::softmax(i, 1); });
}
