#include <torch/torch.h>

#include <iostream>

// Default weights of layers after a seed, and a custom initialisation.
void weights_init(torch::nn::Module& m) {
  torch::NoGradGuard no_grad;
  if (auto* linear = m.as<torch::nn::Linear>()) {
    linear->weight.normal_(0.0, 0.02);
    linear->bias.zero_();
  } else if (typeid(m) == typeid(torch::nn::BatchNorm1dImpl)) {
    m.named_parameters(false)["weight"].normal_(1.0, 0.02);
  }
}

int main() {
  torch::manual_seed(0);
  std::cout << torch::nn::Linear(2, 2)->weight << "\n"
            << torch::nn::Conv1d(1, 2, 2)->weight << "\n";
  std::cout << torch::nn::Embedding(2, 2)->weight << "\n"
            << torch::nn::LSTM(1, 1)->parameters()[0] << "\n";
  std::cout << torch::nn::Bilinear(1, 1, 2)->weight << "\n"
            << torch::nn::MultiheadAttention(2, 1)->in_proj_weight << "\n";
  torch::nn::Sequential net(torch::nn::BatchNorm1d(3));
  net->push_back(torch::nn::Linear(3, 2));
  net->apply(weights_init);
  for (const auto& p : net->named_parameters()) std::cout << p.key() << "\n" << p.value() << "\n";
}
