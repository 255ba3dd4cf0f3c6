#include <torch/torch.h>

#include <cstring>
#include <thread>
#include <vector>

#include "bench.h"

// Adam over the parameters of the autoencoder beside the memory that any Adam must touch: it reads
// four arrays and writes three, as much as copying three and a half of them.

namespace {

constexpr long kCount = 652824;

}  // namespace

int main(int argc, char** argv) {
  const int threads = bench::threads(argc, argv);
  torch::set_num_threads(threads);
  auto parameter = torch::zeros({kCount}).requires_grad_(true);
  parameter.mutable_grad() = torch::rand({kCount});
  torch::optim::Adam adam({parameter}, torch::optim::AdamOptions(1e-3));
  bench::report("Adam, 652,824 parameters in one tensor", [&] { adam.step(); });

  const std::vector<float> from(kCount * 7 / 2, 1.0F);
  std::vector<float> to(from.size());
  // The slowest of the threads counts; each walks its part many times.
  std::vector<double> times(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      const std::size_t begin = from.size() * static_cast<std::size_t>(t) / times.size();
      const std::size_t end = from.size() * static_cast<std::size_t>(t + 1) / times.size();
      times[static_cast<std::size_t>(t)] = bench::time_of([&] {
        std::memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(float));
      });
    });
  }
  for (std::thread& worker : workers) worker.join();
  std::printf("copying as much memory as Adam touches\t%.1f\n",
              *std::max_element(times.begin(), times.end()));
}
