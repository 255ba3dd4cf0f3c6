#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

// Fits a polynomial of degree four to its own values, batch by batch.

constexpr int kDegree = 4;

// Returns the rows (x, x^2, x^3, x^4).
torch::Tensor features(torch::Tensor x) {
  x = x.unsqueeze(1);
  std::vector<torch::Tensor> powers;
  for (int64_t degree = 1; degree <= kDegree; ++degree) powers.push_back(x.pow(degree));
  return torch::cat(powers, /*dim=*/1);
}

struct Batch {
  torch::Tensor x, y;
};

Batch draw(const torch::Tensor& weight, const torch::Tensor& bias, int64_t size) {
  const torch::Tensor x = features(torch::randn({size}));
  return {x, x.mm(weight) + bias.item()};
}

std::string polynomial(const torch::Tensor& weight, const torch::Tensor& bias) {
  const torch::Tensor w = weight.view({-1});
  std::string text = "y =";
  char term[64];
  for (int64_t i = 0; i < w.size(0); ++i) {
    std::snprintf(term, sizeof(term), " %+.1f x^%d", w[i].item<float>(), static_cast<int>(i + 1));
    text += term;
  }
  std::snprintf(term, sizeof(term), " %+.1f", bias[0].item<float>());
  return text + term;
}

int main() {
  torch::manual_seed(8);
  const torch::Tensor weight = torch::randn({kDegree, 1}) * 5;
  const torch::Tensor bias = torch::randn({1}) * 5;
  torch::nn::Linear fc(weight.size(0), 1);
  torch::optim::SGD optimizer(fc->parameters(), .1);
  float loss = 1;
  int64_t batches = 0;
  while (loss >= 1e-3f && batches < 3000) {
    ++batches;
    const Batch batch = draw(weight, bias, 32);
    optimizer.zero_grad();
    torch::Tensor output = torch::smooth_l1_loss(fc(batch.x), batch.y);
    loss = output.item<float>();
    output.backward();
    optimizer.step();
  }
  std::printf("reached %d\n", loss < 1e-3f);
  std::printf("goal    %s\n", polynomial(weight, bias).c_str());
}
