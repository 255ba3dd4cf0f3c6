#include <torch/torch.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <tern/nn/models/resnet.h>

#include "bench.h"
#include "vae.h"

// Records when each gradient of three models is complete, for cluster/scaling_model.py. Each line
// has the model, the share of the step before backward(), and for each parameter, in the order of
// completion, its number of elements and the share of backward() until then.

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Arrival {
  std::int64_t elements;
  double seconds;
};

void record(const std::string& name, torch::nn::Module& model,
            const std::function<torch::Tensor()>& loss_of) {
  std::vector<Arrival> arrivals;
  Clock::time_point start;
  for (torch::Tensor& parameter : model.parameters()) {
    parameter.register_hook([&, elements = parameter.numel()](const torch::Tensor&) {
      arrivals.push_back({elements, seconds_since(start)});
    });
  }
  double forward = 0, backward = 0;
  for (int turn = 0; turn < 3; ++turn) {  // the last is warm
    arrivals.clear();
    model.zero_grad();
    start = Clock::now();
    const torch::Tensor loss = loss_of();
    forward = seconds_since(start);
    start = Clock::now();
    loss.backward();
    backward = seconds_since(start);
  }
  std::printf("%s\t%.3f", name.c_str(), forward / (forward + backward));
  for (const Arrival& arrival : arrivals) {
    std::printf("\t%lld %.4f", static_cast<long long>(arrival.elements),
                arrival.seconds / backward);
  }
  std::printf("\n");
}

/// GPT-2 (124 M parameters) without its head, which shares the weights of the embedding.
struct Gpt2Impl : torch::nn::Module {
  static constexpr std::int64_t kWidth = 768, kTokens = 50257, kLength = 128;
  Gpt2Impl()
      : embedding(kTokens, kWidth),
        positions(1024, kWidth),
        blocks(torch::nn::TransformerEncoderOptions(
            torch::nn::TransformerEncoderLayerOptions(kWidth, 12)
                .dim_feedforward(4 * kWidth)
                .dropout(0)
                .activation(torch::kGELU),
            12)) {
    register_module("embedding", embedding);
    register_module("positions", positions);
    register_module("blocks", blocks);
  }
  torch::Tensor forward(const torch::Tensor& tokens) {
    return blocks(embedding(tokens) + positions(torch::arange(kLength).unsqueeze(1)));
  }
  torch::nn::Embedding embedding, positions;
  torch::nn::TransformerEncoder blocks;
};
TORCH_MODULE(Gpt2);

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  torch::manual_seed(0);
  bench::Autoencoder vae;
  const torch::Tensor digits = torch::rand({128, 784});
  record("VAE", *vae, [&] {
    const auto [image, mean, log_variance] = vae(digits);
    return bench::F::binary_cross_entropy(
        image, digits, bench::F::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
  });
  tern::models::ResNet resnet = tern::models::resnet50();
  const torch::Tensor images = torch::rand({4, 3, 224, 224});
  record("ResNet-50", *resnet, [&] { return resnet(images).square().mean(); });
  Gpt2 gpt;
  const torch::Tensor tokens = torch::randint(Gpt2Impl::kTokens, {Gpt2Impl::kLength, 1});
  record("GPT-2", *gpt, [&] { return gpt(tokens).square().mean(); });
}
