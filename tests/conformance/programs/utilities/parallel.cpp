#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <atomic>
#include <iostream>

// parallel_for, parallel_reduce and the number of threads.
int main() {
  torch::set_num_threads(2);
  std::cout << torch::get_num_threads() << at::get_num_threads() << "\n";
  std::vector<int> squares(1000);
  at::parallel_for(0, 1000, 100, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) squares[i] = static_cast<int>(i * i);
  });
  std::cout << squares[10] << squares[999] << "\n";
  const int64_t sum = at::parallel_reduce(
      0, 101, 10, int64_t{0},
      [](int64_t begin, int64_t end, int64_t start) {
        for (int64_t i = begin; i < end; ++i) start += i;
        return start;
      },
      [](int64_t a, int64_t b) { return a + b; });
  std::cout << sum << " " << at::in_parallel_region() << "\n";
  std::atomic<int> calls{0};
  at::parallel_for(0, 0, 1, [&](int64_t, int64_t) { ++calls; });
  std::cout << calls << at::divup(7, 2) << "\n";
  try {
    at::parallel_for(0, 10, 1, [](int64_t, int64_t) { throw std::runtime_error("inside"); });
  } catch (const std::exception& e) {
    std::cout << e.what() << "\n";
  }
}
