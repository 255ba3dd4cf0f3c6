#include <torch/torch.h>

int main() { return torch::ones({2, 3}).sum().item<float>() == 6 ? 0 : 1; }
