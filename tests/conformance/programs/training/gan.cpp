#include <torch/torch.h>

#include <cstdio>

// Two networks against each other, for a few steps.
int main() {
  torch::manual_seed(4);
  torch::nn::Sequential generator(torch::nn::Linear(2, 8), torch::nn::ReLU(),
                                  torch::nn::Linear(8, 1));
  torch::nn::Sequential discriminator(
      torch::nn::Linear(1, 8),
      torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
      torch::nn::Linear(8, 1), torch::nn::Sigmoid());
  torch::optim::Adam generator_optimizer(
      generator->parameters(), torch::optim::AdamOptions(2e-3).betas(std::make_tuple(0.5, 0.9)));
  torch::optim::Adam discriminator_optimizer(
      discriminator->parameters(),
      torch::optim::AdamOptions(2e-3).betas(std::make_tuple(0.5, 0.9)));
  for (int step = 0; step < 20; ++step) {
    discriminator->zero_grad();
    torch::Tensor real = torch::randn({32, 1}) * 0.5 + 2;
    torch::Tensor real_labels = torch::empty({32, 1}).uniform_(0.8, 1.0);
    torch::Tensor real_loss =
        torch::binary_cross_entropy(discriminator->forward(real), real_labels);
    real_loss.backward();
    torch::Tensor fake = generator->forward(torch::randn({32, 2}));
    torch::Tensor fake_loss =
        torch::binary_cross_entropy(discriminator->forward(fake.detach()), torch::zeros({32, 1}));
    fake_loss.backward();
    discriminator_optimizer.step();
    generator->zero_grad();
    torch::Tensor loss =
        torch::binary_cross_entropy(discriminator->forward(fake), torch::ones({32, 1}));
    loss.backward();
    generator_optimizer.step();
    if (step % 5 == 0)
      std::printf("%.3f %.3f\n", (real_loss + fake_loss).item<float>(), loss.item<float>());
  }
}
