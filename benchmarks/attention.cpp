#include <string>

#include <torch/torch.h>

#include "bench.h"

// Attention and a layer of a Transformer, forward and with backward.

namespace {

struct Sizes {
  std::int64_t batch, heads, length, size;
  bool is_causal;
};

void report_attention(const std::string& what, const Sizes& n) {
  const auto random = [&] { return torch::randn({n.batch, n.heads, n.length, n.size}); };
  const auto q = random(), k = random(), v = random(), grad = random();
  const auto attend = [&](const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c) {
    return torch::scaled_dot_product_attention(a, b, c, {}, 0.0, n.is_causal);
  };
  bench::report(("attention, " + what).c_str(), [&] { auto y = attend(q, k, v); });
  const auto leaf_q = q.clone().requires_grad_(), leaf_k = k.clone().requires_grad_(),
             leaf_v = v.clone().requires_grad_();
  bench::report(("attention and its gradients, " + what).c_str(), [&] {
    auto gradients =
        torch::autograd::grad({attend(leaf_q, leaf_k, leaf_v)}, {leaf_q, leaf_k, leaf_v}, {grad});
  });
}

void report_encoder_layer(double dropout) {
  torch::nn::TransformerEncoderLayer layer(
      torch::nn::TransformerEncoderLayerOptions(256, 8).dropout(dropout));
  const auto x = torch::randn({128, 32, 256}), grad = torch::randn({128, 32, 256});
  const std::string what =
      "128 x 32 x 256, 8 heads, dropout " + std::to_string(dropout).substr(0, 3);
  std::vector<torch::Tensor> leaves = layer->parameters();
  leaves.push_back(x.clone().requires_grad_());
  bench::report(("encoder layer and its gradients, " + what).c_str(), [&] {
    auto gradients = torch::autograd::grad({layer(leaves.back())}, leaves, {grad});
  });
  layer->eval();
  const torch::NoGradGuard no_grad;
  bench::report(("encoder layer in evaluation, " + what).c_str(), [&] { auto y = layer(x); });
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  report_attention("8 x 8 x 1024 x 64, causal", {8, 8, 1024, 64, true});
  report_attention("8 x 8 x 1024 x 64", {8, 8, 1024, 64, false});
  report_attention("64 x 8 x 128 x 64", {64, 8, 128, 64, false});
  report_encoder_layer(0);
  report_encoder_layer(0.1);
}
