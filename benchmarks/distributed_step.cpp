#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <tern/core/distributed/detail/transport.h>

#include "bench.h"
#include "vae.h"

// Training steps of DistributedDataParallel with Adam, 128 examples for each rank, one thread each.
// Under mpirun: steps of its ranks. Alone: what a group of one rank costs, and how far a slow
// network overlaps with backward. distributed.py runs it beside PyTorch.

namespace {

constexpr int kLayers = 24;

namespace distributed = tern::distributed;
using distributed::detail::Reduction;
using distributed::detail::Result;
using tern::nn::parallel::DistributedDataParallel;
using tern::nn::parallel::DistributedDataParallelOptions;

// One of two ranks that are alike: each all_reduce takes `microseconds` for a MiB, in which the
// core is free, and changes nothing.
class SlowNetwork final : public distributed::detail::Transport {
 public:
  explicit SlowNetwork(double microseconds) : microseconds_(microseconds) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void set_timeout(double /*seconds*/) override {}
  Result all_reduce(void* /*data*/, std::int64_t count, tern::ScalarType dtype,
                    Reduction op) override {
    if (op != Reduction::kSum) return {};  // the signature of a call
    const double bytes = static_cast<double>(count) * static_cast<double>(element_size(dtype));
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::micro>(bytes / (1 << 20) * microseconds_));
    return {};
  }
  Result reduce_scatter(const void*, void*, std::int64_t, tern::ScalarType, Reduction) override {
    return {};
  }
  Result broadcast(void* /*data*/, std::int64_t /*bytes*/, int /*root*/) override { return {}; }
  Result all_gather(const void* in, void* out, std::int64_t bytes) override {
    for (std::int64_t i = 0; i < 2; ++i) {
      std::memcpy(static_cast<char*>(out) + i * bytes, in, static_cast<std::size_t>(bytes));
    }
    return {};
  }
  Result all_to_all(const void*, void*, std::int64_t) override { return {}; }
  Result send(const void*, std::int64_t, int) override { return {}; }
  Result recv(void*, std::int64_t, int) override { return {}; }
  Result split(int /*color*/, int /*key*/, Transport** part) override {
    *part = new SlowNetwork(microseconds_);
    return {};
  }
  void enter(const distributed::detail::Call* /*call*/) override {}
  void call_roll(const char* /*mine*/, char* /*positions*/) override {}

 private:
  double microseconds_;
};

struct PerceptronImpl : bench::nn::Module {
  PerceptronImpl() {
    fc1 = register_module("fc1", bench::nn::Linear(784, 2048));
    fc2 = register_module("fc2", bench::nn::Linear(2048, 4096));
    fc3 = register_module("fc3", bench::nn::Linear(4096, 784));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return fc3(torch::relu(fc2(torch::relu(fc1(x)))));
  }
  bench::nn::Linear fc1{nullptr}, fc2{nullptr}, fc3{nullptr};
};
TORCH_MODULE(Perceptron);

using Step = std::function<void()>;

// One step of a model, with or without a group.
template <class Model, class Loss>
Step step_of(const Model& model, const Loss& loss,
             const std::optional<distributed::ProcessGroup>& group, std::int64_t features = 784,
             double bucket_mb = 25) {
  auto adam =
      std::make_shared<torch::optim::Adam>(model->parameters(), torch::optim::AdamOptions(1e-3));
  const torch::Tensor x = torch::rand({128, features});
  const auto finish = [adam](const torch::Tensor& value) {
    value.backward();
    adam->step();
    adam->zero_grad();
  };
  if (!group) return [=] { finish(loss(model, x)); };
  const DistributedDataParallel<Model> ddp(
      model, DistributedDataParallelOptions().process_group(*group).bucket_cap_mb(bucket_mb));
  return [=] { finish(loss(ddp, x)); };
}

Step vae(const std::optional<distributed::ProcessGroup>& group) {
  return step_of(
      bench::Autoencoder(),
      [](auto model, const torch::Tensor& x) {
        const auto [image, mean, log_variance] = model(x);
        const auto error = bench::F::binary_cross_entropy(
            image, x, bench::F::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
        return error - 0.5 * torch::sum(1 + log_variance - mean.pow(2) - log_variance.exp());
      },
      group);
}

Step perceptron(const std::optional<distributed::ProcessGroup>& group) {
  return step_of(
      Perceptron(), [](auto model, const torch::Tensor& x) { return torch::mse_loss(model(x), x); },
      group);
}

// Takes turns, and returns the 25th percentile of each step's times: the core is shared.
std::vector<double> times_of(const std::vector<Step>& steps, int turns) {
  std::vector<std::vector<double>> times(steps.size());
  for (const Step& step : steps) {
    for (int i = 0; i < 3; ++i) step();
  }
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      times[i].push_back(bench::nanoseconds(steps[i]));
    }
  }
  std::vector<double> quartiles;
  for (std::vector<double>& list : times) {
    std::sort(list.begin(), list.end());
    quartiles.push_back(list[list.size() / 4]);
  }
  return quartiles;
}

void say(const std::string& name, double nanoseconds) {
  std::printf("%s\t%.0f\n", name.c_str(), nanoseconds);
}

// A deep network, in which each layer is a bucket: only the last bucket has nothing to overlap
// with.
Step layers(const std::optional<distributed::ProcessGroup>& group) {
  bench::nn::Sequential net;
  for (int i = 0; i < kLayers; ++i) {
    net->push_back(bench::nn::Linear(bench::nn::LinearOptions(512, 512).bias(false)));
    net->push_back(bench::nn::Tanh());
  }
  return step_of(
      net, [](auto model, const torch::Tensor& x) { return model(x).square().mean(); }, group, 512,
      1);
}

// A step whose communication takes `share` of the computation. It can begin with backward and ends
// before Adam.
void show_overlap(double share) {
  const auto network = [](double microseconds) {
    return layers(distributed::ProcessGroup(std::make_unique<SlowNetwork>(microseconds)));
  };
  const double guess = times_of({network(0)}, 10)[0];
  const double microseconds = share * guess / 1e3 / kLayers;  // a layer has a MiB
  const auto times = times_of({network(0), network(microseconds)}, 30);
  const std::string label =
      "24 layers, slow network (" + std::to_string(share).substr(0, 3) + "): ";
  say(label + "compute", times[0]);
  say(label + "communication", kLayers * microseconds * 1e3);
  say(label + "step", times[1]);
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  torch::manual_seed(0);
  const distributed::ProcessGroup group = distributed::init_process_group();
  if (group.size() > 1) {
    const double vae_ns = times_of({vae(group)}, 60)[0];
    const double perceptron_ns = times_of({perceptron(group)}, 8)[0];
    if (group.rank() != 0) return 0;
    say("VAE step", vae_ns);
    say("MLP of 50 MiB step", perceptron_ns);
    return 0;
  }
  const auto one = times_of({vae(std::nullopt), vae(group)}, 100);
  say("VAE step without DDP", one[0]);
  say("VAE step, group of one rank", one[1]);
  for (const double share : {0.5, 6.0}) show_overlap(share);
}
