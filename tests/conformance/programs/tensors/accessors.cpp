#include <torch/torch.h>

#include <cstdio>

// Elements read and written through accessors, item() and data_ptr().
int main() {
  torch::Tensor t = torch::arange(6, torch::kFloat).view({2, 3});
  auto a = t.accessor<float, 2>();
  for (int i = 0; i < a.size(0); i++) {
    for (int j = 0; j < a.size(1); j++) std::printf("%.1f ", a[i][j]);
    std::printf("\n");
  }
  a[1][2] = 50;
  std::printf("%.1f\n", t[1][2].item<float>());
  auto transposed = t.t();
  auto b = transposed.accessor<float, 2>();
  std::printf("%.1f %lld\n", b[2][1], static_cast<long long>(b.stride(0)));
  std::printf("%d %.2f %lld\n", t[0][1].item<int>(), t[0][2].item<double>(),
              static_cast<long long>(t[1][0].item().toLong()));
  int64_t* data = torch::tensor({7, 8, 9}, torch::kLong).data_ptr<int64_t>();
  (void)data;
  const float* numbers = t.const_data_ptr<float>();
  float sum = 0;
  for (int64_t i = 0; i < t.numel(); ++i) sum += numbers[i];
  std::printf("%.1f\n", sum);
  auto flags = torch::tensor({true, false, true});
  auto f = flags.accessor<bool, 1>();
  std::printf("%d%d%d\n", f[0], f[1], f[2]);
  std::printf("%d\n", torch::tensor(3).item<bool>());
}
