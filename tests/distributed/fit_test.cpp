#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <sstream>

#include "ranks.h"
#include "train/train_test.h"

// fit() with a process group.

namespace tern::testing {
namespace {

constexpr std::size_t kPoints = 48;

/// Returns a loader of one rank's share of the points, as float64.
auto share_of_points(const ProcessGroup& group, std::size_t batch_size, bool shuffle) {
  const data::datasets::PairDataset all = points(kPoints);
  return data::make_data_loader(
      data::datasets::PairDataset(all.data().to(kDouble), all.targets())
          .map(data::transforms::Stack<>()),
      data::samplers::PythonDistributedSampler(kPoints, static_cast<std::size_t>(group.size()),
                                               static_cast<std::size_t>(group.rank()), shuffle),
      batch_size);
}

/// Returns the same numbers on every rank, and others for another seed.
Tensor weights_like(const Tensor& parameter, std::uint64_t seed) {
  Generator generator;
  generator.manual_seed(seed);
  return rand(parameter.sizes(), generator, kDouble) - 0.5;
}

/// A training with batches of 8 examples over all ranks.
struct Training {
  explicit Training(const ProcessGroup& its_group)
      : group(its_group),
        loader(share_of_points(group, 8 / static_cast<std::size_t>(group.size()), true)),
        test(share_of_points(group, 5, false)) {
    net->to(kDouble);
    const NoGradGuard no_grad;
    for (const Tensor& parameter : net->parameters()) {  // fit() copies rank 0's
      parameter.copy_(weights_like(parameter, static_cast<std::uint64_t>(group.rank())));
    }
  }

  train::History fit(train::Options options) {
    options.process_group = group;
    return train::fit(net, loader, adam, nn::CrossEntropyLoss(), options);
  }

  ProcessGroup group;
  nn::Sequential net{nn::Linear(4, 16), nn::Tanh(), nn::Linear(16, 3)};
  optim::Adam adam{net->parameters(), 1e-2};
  decltype(share_of_points({}, 8, true)) loader, test;
};

/// A file that all ranks see, for one test.
class SharedFile {
 public:
  explicit SharedFile(const std::string& name)
      : path((std::filesystem::temp_directory_path() /
              ("tern_fit_" + std::to_string(is_under_mpirun() ? ::getppid() : ::getpid()) + name))
                 .string()) {}
  ~SharedFile() { std::filesystem::remove(path); }
  const std::string path;
};

std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> all;
  for (const Tensor& tensor : tensors) all.push_back(tensor.detach().clone());
  return all;
}

TEST(FitOnRanks, TrainsAsOneProcessDoes) {
  for (const std::int64_t accumulate : {1, 4}) {  // 6 batches: two are left over
    const auto train = [&](const ProcessGroup& group) {
      Training training(group);
      const train::History history = training.fit(
          {.epochs = 3, .validation = training.test, .accumulate = accumulate, .clip_norm = 0.5});
      return std::pair(history, copies(training.net->parameters()));
    };
    const auto [expected, weights] = train(ProcessGroup());
    on_ranks(2, [&, &expected = expected, &weights = weights](const ProcessGroup& group) {
      const auto [history, trained] = train(group);
      for (const char* name : {"loss", "val_loss"}) {
        for (std::size_t epoch = 0; epoch < 3; ++epoch) {
          EXPECT_NEAR(history[name][epoch], expected[name][epoch], 1e-12) << name << epoch;
        }
      }
      for (std::size_t i = 0; i < weights.size(); ++i) {
        EXPECT_TRUE(allclose(trained[i], weights[i], 1e-11, 1e-11)) << i;
      }
    });
  }
}

TEST(FitOnRanks, MetricsAreThoseOfAllRanks) {
  const auto run = [](const ProcessGroup& group) {
    Training training(group);
    // The weights do not change, so that each metric of the training is that of the last ones.
    training.adam.param_groups()[0].options().set_lr(0);
    return training.fit(
        {.epochs = 1,
         .validation = training.test,
         .metrics = {{"accuracy", metrics::Accuracy()}, {"auroc", metrics::AUROC(3)}}});
  };
  const train::Numbers expected = run(ProcessGroup()).back();
  on_ranks(2, [&](const ProcessGroup& group) {
    const train::Numbers numbers = run(group).back();
    for (const char* name : {"accuracy", "auroc", "val_accuracy", "val_auroc", "val_loss"}) {
      EXPECT_NEAR(numbers[name], expected[name], 1e-12) << name;
    }
  });
}

TEST(FitOnRanks, Rank0ReportsAlone) {
  const SharedFile csv(".csv");
  std::atomic<int> calls = 0;
  on_ranks(2, [&](const ProcessGroup& group) {
    Training training(group);
    std::ostringstream text;
    training.fit({.epochs = 2,
                  .callbacks = {train::Print(text), train::LogCsv(csv.path), [&](train::Run& run) {
                                  ++calls;
                                  EXPECT_EQ(run.process_group().rank(), group.rank());
                                }}});
    EXPECT_EQ(text.str().empty(), group.rank() != 0);
    group.barrier();
    EXPECT_TRUE(std::filesystem::exists(csv.path));
    group.barrier();
  });
  EXPECT_EQ(calls, is_under_mpirun() ? 2 : 4);
}

TEST(FitOnRanks, AllStopIfOneDoes) {
  on_ranks(2, [](const ProcessGroup& group) {
    Training training(group);
    std::int64_t steps = 0;
    training.fit({.epochs = 2, .callbacks = {AfterStep([&](train::Run& run) {
                                 steps = run.step();
                                 if (group.rank() == 1 && run.step() == 3) run.stop();
                               })}});
    EXPECT_EQ(steps, 3);
  });
}

TEST(FitOnRanks, EndTogether) {
  on_ranks(2, [](const ProcessGroup& group) {
    Training training(group);
    auto uneven = share_of_points(group, group.rank() == 0 ? 4 : 6, false);
    EXPECT_NE(error_of([&] {
                train::fit(training.net, uneven, training.adam, nn::CrossEntropyLoss(),
                           {.epochs = 1, .process_group = group});
              }).find("ranks have no more; give each rank as many batches"),
              std::string::npos);
  });
}

TEST(FitOnRanks, ALossOfOneRankThatIsNanCountsOnAll) {
  on_ranks(2, [](const ProcessGroup& group) {
    Training training(group);
    std::int64_t batches = 0;
    const auto loss = [&](const Tensor& output, const Tensor& target) {
      const bool is_bad = ++batches == 2 && group.rank() == 1;
      return nn::functional::cross_entropy(output, target) *
             (is_bad ? std::numeric_limits<double>::quiet_NaN() : 1.0);
    };
    const train::History history =
        train::fit(training.net, training.loader, training.adam, loss,
                   {.epochs = 1, .skip_nonfinite = true, .process_group = group});
    EXPECT_EQ(history.back()["skipped"], 1);
    EXPECT_FALSE(training.net->parameters()[0].isnan().any().item<bool>());
    batches = 0;
    EXPECT_NE(error_of([&] {
                train::fit(training.net, training.loader, training.adam, loss,
                           {.epochs = 1, .process_group = group});
              }).find("the loss is nan in epoch 1, batch 2"),
              std::string::npos);
  });
}

TEST(FitOnRanks, ContinuesFromACheckpoint) {
  const SharedFile whole("whole.safetensors"), part("part.safetensors");
  on_ranks(2, [&](const ProcessGroup& group) {
    const auto train = [&](std::int64_t epochs, const std::string& path,
                           std::vector<train::AnyCallback> callbacks = {}) {
      Training training(group);
      training.net->push_back(nn::BatchNorm1d(3));
      training.net->to(kDouble);
      callbacks.push_back(train::Checkpoint(path, {.every_steps = 2, .resume = true}));
      const train::History history = training.fit({.epochs = epochs,
                                                   .validation = training.test,
                                                   .metrics = {{"accuracy", metrics::Accuracy()}},
                                                   .callbacks = std::move(callbacks)});
      return std::pair(history.state_dict(), copies(training.net->parameters()));
    };
    const auto [history, weights] = train(3, whole.path);
    train(3, part.path, {AfterStep([](train::Run& run) {
            if (run.process_group().rank() == 1 && run.step() == 9) run.stop();
          })});
    const auto [resumed, again] = train(3, part.path);
    EXPECT_TRUE(identical(resumed, history));
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_TRUE(again[i].equal(weights[i])) << i;
    group.barrier();
  });
}

TEST(FitOnRanks, ContinuesWithAnotherNumberOfRanks) {
  TERN_NEEDS_THREADS();
  const SharedFile file("other.safetensors");
  const auto train = [&](const ProcessGroup& group, std::int64_t epochs) {
    Training training(group);
    return training.fit({.epochs = epochs,
                         .metrics = {{"accuracy", metrics::Accuracy()}},
                         .callbacks = {train::Checkpoint(file.path, {.resume = true})}});
  };
  on_ranks(2, [&](const ProcessGroup& group) { train(group, 3); });
  const train::History history = train(ProcessGroup(), 4);
  EXPECT_EQ(history.size(), 4);
  EXPECT_LT(history["loss"][3], history["loss"][0]);
  on_ranks(4, [&](const ProcessGroup& group) { EXPECT_EQ(train(group, 5).size(), 5); });
}

TEST(FitOnRanks, ACheckpointThatCannotBeWrittenIsAnErrorOnAll) {
  const SharedFile folder("folder");
  on_ranks(2, [&](const ProcessGroup& group) {
    std::filesystem::create_directories(folder.path);
    group.barrier();
    Training training(group);
    const std::string error = error_of([&] {
      training.fit(
          {.epochs = 1,
           .callbacks = {AfterStep([&](train::Run&) { std::filesystem::remove(folder.path); }),
                         train::Checkpoint(folder.path + "/last.json")}});
    });
    EXPECT_NE(error.find("last.json"), std::string::npos) << error;
    EXPECT_EQ(error.find("fit: rank 0 failed: ") == 0, group.rank() != 0) << error;
  });
}

TEST(FitOnRanks, RefusesAModelThatAlreadyAverages) {
  on_ranks(2, [](const ProcessGroup& group) {
    Training training(group);
    nn::parallel::DistributedDataParallel<nn::Sequential> ddp(
        training.net, nn::parallel::DistributedDataParallelOptions().process_group(group));
    const auto loss = [](data::Example<>& batch) { return batch.data.sum(); };
    EXPECT_EQ(error_of([&] {
                train::fit(ddp, training.loader, training.adam, loss,
                           {.epochs = 1, .process_group = group});
              }),
              "fit: with a process_group give the model itself instead of a "
              "DistributedDataParallel; fit() averages its gradients");
  });
}

}  // namespace
}  // namespace tern::testing
