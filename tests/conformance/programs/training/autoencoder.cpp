#include <torch/torch.h>

#include <cstdio>

// An autoencoder with a Sequential in each half.
struct AutoencoderImpl : torch::nn::Module {
  AutoencoderImpl()
      : encoder(torch::nn::Linear(8, 6), torch::nn::Tanh(), torch::nn::Linear(6, 2)),
        decoder(torch::nn::Linear(2, 6), torch::nn::Tanh(), torch::nn::Linear(6, 8)) {
    register_module("encoder", encoder);
    register_module("decoder", decoder);
  }
  torch::Tensor forward(torch::Tensor x) { return decoder->forward(encoder->forward(x)); }
  torch::nn::Sequential encoder, decoder;
};
TORCH_MODULE(Autoencoder);

int main() {
  torch::manual_seed(3);
  Autoencoder net;
  torch::Tensor codes = torch::randn({100, 2});
  torch::Tensor data = codes.matmul(torch::randn({2, 8}));
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(1e-2));
  for (int step = 0; step <= 300; ++step) {
    torch::Tensor loss = torch::mse_loss(net(data), data);
    adam.zero_grad();
    loss.backward();
    adam.step();
    if (step % 100 == 0) std::printf("%d %.2f\n", step, loss.item<float>());
  }
}
