#include <torch/torch.h>

#include <iostream>

// The index of a device is a character in libtorch.
int main() { std::cout << torch::Device(torch::kCUDA, 1).index() << torch::cuda::device_count(); }
