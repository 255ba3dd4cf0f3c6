#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "bench.h"

// Adam over the parameters of the autoencoder. Its peer is the memory traffic that any Adam needs:
// it reads four arrays and writes three, as much as copying three and a half arrays.
//
//   adam_limit [THREADS [copy]]      with "copy", measures the peer

namespace {

constexpr long kCount = 652824;
constexpr const char* kName = "Adam, 652,824 parameters in one tensor (peer: a copy as large)";

void adam() {
  auto parameter = torch::zeros({kCount}).requires_grad_(true);
  parameter.mutable_grad() = torch::rand({kCount});
  torch::optim::Adam adam({parameter}, torch::optim::AdamOptions(1e-3));
  bench::report(kName, [&] { adam.step(); });
}

void copy(std::size_t threads) {
  const std::vector<float> from(kCount * 7 / 2, 1.0F);
  std::vector<float> to(from.size());
  const bench::Effort effort;
  // Each thread copies its part many times; the slowest thread counts.
  const auto measure = [&] {
    std::vector<bench::Timing> times(threads);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        const std::size_t begin = from.size() * t / threads;
        const std::size_t end = from.size() * (t + 1) / threads;
        const auto part = [&] {
          std::memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(float));
        };
        times[t] = bench::Turn(bench::repeat(part), effort.turn_ns)();
      });
    }
    for (std::thread& worker : workers) worker.join();
    return *std::max_element(times.begin(), times.end(),
                             [](const auto& a, const auto& b) { return a.ns < b.ns; });
  };
  bench::report_measured(kName, measure, effort.turns);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS [copy]]", 2);
  const int threads = arguments.threads();
  torch::set_num_threads(threads);
  if (arguments.is(2, "copy")) {
    copy(static_cast<std::size_t>(threads));
  } else {
    adam();
  }
}
