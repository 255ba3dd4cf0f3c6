#pragma once

#include <tuple>

#include <tern/tern.h>

using tern::Tensor;

/// A variational autoencoder with the layers 784 pixels - 400 - a code of 20 numbers - 400 - 784
/// pixels.
struct VAEImpl : tern::nn::Module {
  VAEImpl() {
    fc1 = register_module("fc1", tern::nn::Linear(784, 400));
    fc21 = register_module("fc21", tern::nn::Linear(400, 20));
    fc22 = register_module("fc22", tern::nn::Linear(400, 20));
    fc3 = register_module("fc3", tern::nn::Linear(20, 400));
    fc4 = register_module("fc4", tern::nn::Linear(400, 784));
  }

  /// The sigmoid is computed in float32: narrow dtypes round many pixels to 1.
  Tensor decode(const Tensor& z) { return tern::sigmoid(fc4(tern::relu(fc3(z))).to(tern::kFloat)); }

  /// Returns the reconstructions of images [N, 784], and the mean and log variance of their codes.
  std::tuple<Tensor, Tensor, Tensor> forward(const Tensor& images) {
    const Tensor hidden = tern::relu(fc1(images));
    const Tensor mu = fc21(hidden);
    const Tensor logvar = fc22(hidden);
    const Tensor std = tern::exp(0.5 * logvar);
    return {decode(mu + tern::randn_like(std) * std), mu, logvar};
  }

  tern::nn::Linear fc1{nullptr}, fc21{nullptr}, fc22{nullptr}, fc3{nullptr}, fc4{nullptr};
};
TERN_MODULE(VAE);

/// Returns the reconstruction error plus the divergence of the codes from a normal distribution.
/// Both are sums over the batch.
inline Tensor loss_of(const Tensor& reconstruction, const Tensor& images, const Tensor& mu,
                      const Tensor& logvar) {
  const Tensor error = tern::binary_cross_entropy(reconstruction, images, {}, tern::kSum);
  return error - 0.5 * tern::sum(1 + logvar - mu.pow(2) - logvar.exp());
}
