#pragma once

#include <torch/torch.h>

#include <tuple>

// The variational autoencoder of the example, 784-400-20-400-784, and its loss: binary
// cross-entropy plus Kullback-Leibler divergence.

namespace bench {

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct AutoencoderImpl : nn::Module {
  nn::Linear fc1{nullptr}, fc21{nullptr}, fc22{nullptr}, fc3{nullptr}, fc4{nullptr};

  AutoencoderImpl() {
    fc1 = register_module("fc1", nn::Linear(784, 400));
    fc21 = register_module("fc21", nn::Linear(400, 20));
    fc22 = register_module("fc22", nn::Linear(400, 20));
    fc3 = register_module("fc3", nn::Linear(20, 400));
    fc4 = register_module("fc4", nn::Linear(400, 784));
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(const torch::Tensor& x) {
    const auto hidden = torch::relu(fc1(x));
    const auto mean = fc21(hidden);
    const auto log_variance = fc22(hidden);
    const auto deviation = torch::exp(0.5 * log_variance);
    const auto code = mean + torch::randn_like(deviation) * deviation;
    return {torch::sigmoid(fc4(torch::relu(fc3(code)))), mean, log_variance};
  }
};
TORCH_MODULE(Autoencoder);

inline torch::Tensor loss_of(Autoencoder& model, const torch::Tensor& x) {
  const auto [image, mean, log_variance] = model->forward(x);
  const auto error =
      F::binary_cross_entropy(image, x, F::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
  return error - 0.5 * torch::sum(1 + log_variance - mean.pow(2) - log_variance.exp());
}

}  // namespace bench
