#include <torch/torch.h>

#include <iostream>

// What registration and construction refuse: whether the error has the expected words.
template <class F>
void show(const std::string& words, F f) {
  try {
    f();
    std::cout << "no error\n";
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    std::cout << (text.find(words) != text.npos ? words : "other words: " + text) << "\n";
  }
}

struct Net : torch::nn::Module {};

int main() {
  show("Parameter name must not contain a dot (got 'a.b')",
       [] { Net().register_parameter("a.b", torch::ones({1})); });
  show("Parameter name must not be empty", [] { Net().register_parameter("", torch::ones({1})); });
  show("Buffer 'x' already defined", [] {
    Net net;
    net.register_buffer("x", torch::ones({1}));
    net.register_buffer("x", torch::ones({1}));
  });
  show("Submodule 'm' already defined", [] {
    Net net;
    net.register_module("m", torch::nn::Linear(1, 1));
    net.register_module("m", torch::nn::Linear(1, 1));
  });
  show("clone() has not been implemented for", [] { Net().clone(); });
  show("No Module with name `none` is registered", [] { Net().unregister_module("none"); });
  show("in_channels must be divisible by groups",
       [] { torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 4, 2).groups(2)); });
  show("Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [3]",
       [] { torch::nn::Conv2d(1, 1, 3)(torch::ones({3})); });
  show("expected 2D or 3D input (got 4D input)", [] {
    torch::nn::BatchNorm1d(3)(torch::ones({2, 3, 4, 5}));
  });
}
