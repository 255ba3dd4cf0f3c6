#include <torch/torch.h>

#include <iostream>

// How modules print.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    conv = register_module(
        "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3).stride(2).padding(1)));
    norm = register_module("norm", torch::nn::BatchNorm2d(4));
    fc = register_module("fc", torch::nn::Linear(16, 10));
    layers = register_module("layers",
                             torch::nn::Sequential(torch::nn::Linear(1, 2), torch::nn::ReLU()));
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Linear fc{nullptr};
  torch::nn::Sequential layers{nullptr};
};
TORCH_MODULE(Net);

int main() {
  std::cout << Net() << "\n";
  std::cout << torch::nn::Dropout(0.3) << "\n" << torch::nn::Embedding(10, 3) << "\n";
  std::cout << torch::nn::LSTM(torch::nn::LSTMOptions(3, 4).num_layers(2).batch_first(true))
            << "\n";
  std::cout << torch::nn::Conv1d(torch::nn::Conv1dOptions(3, 6, 5).groups(3).dilation(2)) << "\n";
  std::cout << torch::nn::ConvTranspose2d(4, 2, 3) << "\n";
  std::cout << torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2)) << "\n";
  std::cout << torch::nn::AdaptiveAvgPool2d(torch::nn::AdaptiveAvgPool2dOptions({5, 7})) << "\n";
  std::cout << torch::nn::LayerNorm(torch::nn::LayerNormOptions({4, 5}).eps(2e-5)) << "\n";
  std::cout << torch::nn::GroupNorm(2, 6) << "\n"
            << torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)) << "\n";
  std::cout << torch::nn::Softmax(1) << "\n"
            << torch::nn::ELU() << "\n"
            << torch::nn::Threshold(1, 2) << "\n";
  std::cout << torch::nn::ZeroPad2d(2) << "\n" << torch::nn::ReflectionPad1d(3) << "\n";
  std::cout << torch::nn::Flatten() << "\n"
            << torch::nn::Bilinear(2, 3, 4) << "\n"
            << torch::nn::Identity() << "\n";
  std::cout << torch::nn::CrossEntropyLoss() << "\n" << torch::nn::PixelShuffle(2) << "\n";
  std::cout << torch::nn::Upsample(torch::nn::UpsampleOptions()
                                       .scale_factor(std::vector<double>{2})
                                       .mode(torch::kNearest))
            << "\n";
}
