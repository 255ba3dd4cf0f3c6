#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench.h"
#include "distributed/alike_ranks.h"
#include "vae.h"

// Training steps of DistributedDataParallel with Adam, 128 examples for each rank, one thread each.
// Under mpirun: steps of its ranks. Alone: what a group of one rank costs, and how far a slow
// network overlaps with computation, also that of fully_shard(). distributed.py runs it beside
// PyTorch.
// `distributed_step THREADS vae` stops after the VAE.

namespace {

constexpr int kLayers = 24;

namespace distributed = tern::distributed;
using tern::nn::parallel::DistributedDataParallel;
using tern::nn::parallel::DistributedDataParallelOptions;
using tern::testing::AlikeRanks;

// Two ranks that are alike, between which a MiB takes `microseconds`, in which the core is free.
// Notes the times of all transfers, because a sleep lasts longer on a busy machine.
distributed::ProcessGroup slow_network(double microseconds,
                                       const std::shared_ptr<std::vector<double>>& times) {
  return distributed::ProcessGroup(std::make_unique<AlikeRanks>(
      [microseconds, times](AlikeRanks::Kind /*kind*/, std::int64_t bytes) {
        if (bytes < 4096) return;  // marks and sizes
        times->push_back(bench::nanoseconds([&] {
          std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(
              static_cast<double>(bytes) / (1 << 20) * microseconds));
        }));
      }));
}

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

double quartile(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
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
  for (const std::vector<double>& list : times) quartiles.push_back(quartile(list));
  return quartiles;
}

void say(const std::string& name, double nanoseconds) {
  std::printf("%s\t%.0f\n", name.c_str(), nanoseconds);
}

bench::nn::Sequential deep_network() {
  bench::nn::Sequential net;
  for (int i = 0; i < kLayers; ++i) {
    net->push_back(bench::nn::Linear(bench::nn::LinearOptions(512, 512).bias(false)));
    net->push_back(bench::nn::Tanh());
  }
  return net;
}

// Each layer is a bucket: only the last bucket has nothing to overlap with.
Step replicated_layers(const distributed::ProcessGroup& group) {
  return step_of(
      deep_network(), [](auto model, const torch::Tensor& x) { return model(x).square().mean(); },
      group, 512, 1);
}

// Each layer is a unit: the first gather of forward and of backward, and the last averages, have
// nothing to overlap with.
Step sharded_layers(const distributed::ProcessGroup& group) {
  const bench::nn::Sequential net = deep_network();
  tern::nn::parallel::fully_shard(
      net, tern::nn::parallel::FullyShardOptions().process_group(group).units(net->children()));
  return step_of(
      net, [](auto model, const torch::Tensor& x) { return model(x).square().mean(); },
      std::nullopt, 512);
}

// A step whose communication takes `share` of the computation; each layer's MiB travels `trips`
// times.
void show_overlap(const std::string& name, Step (*layers)(const distributed::ProcessGroup&),
                  int trips, double share) {
  const auto none = std::make_shared<std::vector<double>>();
  const auto transfers = std::make_shared<std::vector<double>>();
  const Step fast = layers(slow_network(0, none));
  const double microseconds = share * times_of({fast}, 10)[0] / 1e3 / (kLayers * trips);
  const Step slow = layers(slow_network(microseconds, transfers));
  transfers->clear();  // those of the start
  const auto times = times_of({fast, slow}, 30);
  const std::string label = name + ", slow network (" + std::to_string(share).substr(0, 3) + "): ";
  say(label + "compute", times[0]);
  std::vector<double> of_steps;
  const auto count = static_cast<std::ptrdiff_t>(kLayers) * trips;
  for (auto at = transfers->begin(); transfers->end() - at >= count; at += count) {
    of_steps.push_back(std::accumulate(at, at + count, 0.0));
  }
  say(label + "communication", quartile(of_steps));
  say(label + "step", times[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS] [vae]", 2);
  torch::set_num_threads(arguments.threads());
  torch::manual_seed(0);
  const bool is_vae_alone = arguments.is(2, "vae");
  const distributed::ProcessGroup group = distributed::init_process_group();
  if (group.size() > 1) {
    const double vae_ns = times_of({vae(group)}, 60)[0];
    if (group.rank() == 0) say("VAE step", vae_ns);
    if (is_vae_alone) return 0;
    const double perceptron_ns = times_of({perceptron(group)}, 8)[0];
    if (group.rank() == 0) say("MLP of 50 MiB step", perceptron_ns);
    return 0;
  }
  const auto one = times_of({vae(std::nullopt), vae(group)}, 100);
  say("VAE step without DDP", one[0]);
  say("VAE step, group of one rank", one[1]);
  if (is_vae_alone) return 0;
  for (const double share : {0.5, 6.0}) {
    show_overlap("24 layers", &replicated_layers, 1, share);
    show_overlap("24 units of fully_shard", &sharded_layers, 3, share);
  }
}
