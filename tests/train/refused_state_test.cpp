#include "train/refused_state.h"

#include "nn/optim/every_optimizer.h"
#include "train/train_test.h"

// A state that is refused changes nothing: every class with load_state_dict(), every key of its
// state damaged in every way.

namespace tern {
namespace {

// --- Optimizers ----------------------------------------------------------------------------------

void take_step(optim::Optimizer& optimizer, double gradient) {
  for (const auto& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      parameter.set_grad(full_like(parameter.detach(), gradient));
    }
  }
  optimizer.step([&] { return ones({}) * gradient; });
}

TEST(RefusedState, ChangesNoOptimizer) {
  for (const testing::AnyOptimizer& optimizer : testing::every_optimizer()) {
    const auto make = [&] {
      return std::shared_ptr<optim::Optimizer>(
          optimizer.make({parameter_of(ones({2, 3})), parameter_of(full({3, 2}, 0.5))}));
    };
    const auto subject = make(), other = make();
    other->set_lr(0.2);
    take_step(*subject, 0.5);
    for (const double gradient : {1.5, -2.0}) take_step(*other, gradient);
    for (auto& group : other->param_groups()) group.schedule().set("initial_lr", 0.25);
    check_subject(optimizer.name,
                  subject_of(subject, other->state_dict(), {"capturable", "initial_lr"}));
  }
}

// --- Schedulers ----------------------------------------------------------------------------------

TEST(RefusedState, ChangesNoScheduler) {
  using namespace optim;
  std::vector<std::shared_ptr<SGD>> optimizers;  // live as long as the schedulers
  const auto check = [&](const char* name, const auto& make) {
    const auto scheduler_after = [&](int steps) {
      optimizers.push_back(std::make_shared<SGD>(std::vector{parameter_of(ones({1}))},
                                                 SGDOptions(0.1).momentum(0.9)));
      auto scheduler = make(*optimizers.back());
      for (int i = 0; i < steps; ++i) {
        if constexpr (
            requires { scheduler->step(1.0); } && !requires { scheduler->step(); }) {
          scheduler->step(1.0 + i);
        } else {
          scheduler->step();
        }
      }
      return scheduler;
    };
    check_subject(name, subject_of(scheduler_after(1), scheduler_after(4)->state_dict(),
                                   {"lr_lambdas", "use_beta1", "_scale_fn_custom", "mode_worse",
                                    "default_min_lr"}));
  };
  const auto half = [](std::int64_t epoch) { return 1.0 / static_cast<double>(epoch + 1); };
  check("StepLR", [](SGD& o) { return std::make_shared<StepLR>(o, 2, 0.5); });
  check("MultiStepLR", [](SGD& o) {
    return std::make_shared<MultiStepLR>(o, std::vector<std::int64_t>{2, 3}, 0.5);
  });
  check("ExponentialLR", [](SGD& o) { return std::make_shared<ExponentialLR>(o, 0.5); });
  check("ConstantLR", [](SGD& o) { return std::make_shared<ConstantLR>(o); });
  check("LinearLR", [](SGD& o) { return std::make_shared<LinearLR>(o); });
  check("PolynomialLR", [](SGD& o) { return std::make_shared<PolynomialLR>(o); });
  check("CosineAnnealingLR", [](SGD& o) { return std::make_shared<CosineAnnealingLR>(o, 9); });
  check("CosineAnnealingWarmRestarts",
        [](SGD& o) { return std::make_shared<CosineAnnealingWarmRestarts>(o, 2, 2); });
  check("LambdaLR", [&](SGD& o) { return std::make_shared<LambdaLR>(o, half); });
  check("MultiplicativeLR", [&](SGD& o) { return std::make_shared<MultiplicativeLR>(o, half); });
  check("CyclicLR",
        [](SGD& o) { return std::make_shared<CyclicLR>(o, CyclicLROptions(0.01, 0.1)); });
  check("OneCycleLR", [](SGD& o) {
    return std::make_shared<OneCycleLR>(o, OneCycleLROptions(0.1).total_steps(20));
  });
  check("SWALR", [](SGD& o) { return std::make_shared<SWALR>(o, 0.05); });
  check("ReduceLROnPlateau", [](SGD& o) { return std::make_shared<ReduceLROnPlateau>(o); });
  check("SequentialLR", [](SGD& o) {
    return std::make_shared<SequentialLR>(
        o,
        LRSchedulerList{std::make_shared<ConstantLR>(o), std::make_shared<ExponentialLR>(o, 0.5)},
        std::vector<std::int64_t>{2});
  });
  check("ChainedScheduler", [](SGD& o) {
    return std::make_shared<ChainedScheduler>(
        LRSchedulerList{std::make_shared<ConstantLR>(o), std::make_shared<ExponentialLR>(o, 0.5)});
  });
}

// --- Data ----------------------------------------------------------------------------------------

struct ChunksOfPoints : data::datasets::ChunkDataReader<std::int64_t> {
  std::vector<std::int64_t> read_chunk(std::size_t chunk) override {
    return std::vector<std::int64_t>(3, static_cast<std::int64_t>(chunk));
  }
  std::size_t chunk_count() override { return 5; }
  void reset() override {}
};

TEST(RefusedState, ChangesNoSamplerAndNoLoader) {
  using namespace data::samplers;
  const auto check = [](const char* name, const auto& make) {
    const auto sampler = make(), other = make();
    for (const auto& each : {sampler, other}) each->reset();
    sampler->next(2);
    other->next(5);
    check_subject(name, subject_of(sampler, other->state_dict()));
  };
  check("SequentialSampler", [] { return std::make_shared<SequentialSampler>(9); });
  check("RandomSampler", [] { return std::make_shared<RandomSampler>(9); });
  check("PythonSequentialSampler", [] { return std::make_shared<PythonSequentialSampler>(9); });
  check("PythonRandomSampler", [] { return std::make_shared<PythonRandomSampler>(9); });
  check("PythonRandomSampler with replacement", [] {
    return std::make_shared<PythonRandomSampler>(
        9, PythonRandomSamplerOptions().replacement(true).num_samples(7));
  });
  check("SubsetRandomSampler", [] {
    return std::make_shared<SubsetRandomSampler>(std::vector<std::size_t>{1, 3, 4, 6, 7, 8});
  });
  check("WeightedRandomSampler", [] {
    return std::make_shared<WeightedRandomSampler>(std::vector<double>{1, 2, 3, 4}, 8);
  });
  check("DistributedRandomSampler", [] { return std::make_shared<DistributedRandomSampler>(9); });
  check("DistributedSequentialSampler",
        [] { return std::make_shared<DistributedSequentialSampler>(9); });
  check("PythonDistributedSampler",
        [] { return std::make_shared<PythonDistributedSampler>(18, 2, 0); });
  check("StreamSampler", [] { return std::make_shared<StreamSampler>(9); });
  check("BatchSampler",
        [] { return std::make_shared<BatchSampler<RandomSampler>>(RandomSampler(9), 2, false); });

  const auto check_loader = [](const std::string& name, const auto& make) {
    auto loader = make(), other = make();
    auto iterator = loader->begin(), another = other->begin();
    for (int i = 0; i < 2; ++i) ++another;
    check_subject(name, {[&] { return loader->state_dict(); },
                         [&](const State& state) { loader->load_state_dict(state); },
                         copy_of(other->state_dict())});
  };
  for (const std::size_t workers : {0, 2}) {
    check_loader("DataLoader of " + std::to_string(workers),
                 [&] { return points_loader(data::DataLoaderOptions(8).workers(workers)); });
  }
  using Chunks = data::datasets::ChunkDataset<ChunksOfPoints>;
  check_loader("ChunkDataset", [] {
    return data::make_data_loader(data::datasets::make_shared_dataset<Chunks>(
                                      ChunksOfPoints(), RandomSampler(5), RandomSampler(0),
                                      data::datasets::ChunkDatasetOptions(1, 3)),
                                  3);
  });
}

// The epoch goes on, too.
TEST(RefusedState, StopsNoChunkDataset) {
  using Chunks = data::datasets::ChunkDataset<ChunksOfPoints>;
  Chunks chunks(ChunksOfPoints(), data::samplers::RandomSampler(5),
                data::samplers::RandomSampler(0), data::datasets::ChunkDatasetOptions(1, 3));
  chunks.reset();
  EXPECT_TRUE(chunks.get_batch().has_value());
  EXPECT_THROW(chunks.load_state_dict(State()), Error);
  int more = 0;
  while (chunks.get_batch()) ++more;
  EXPECT_EQ(more, 4);
}

// --- Training ------------------------------------------------------------------------------------

TEST(RefusedState, ChangesNoMetric) {
  const auto check = [](const char* name, const auto& metric, const Tensor& scores,
                        const Tensor& target) {
    using M = std::remove_cvref_t<decltype(metric)>;
    const auto a = std::make_shared<M>(metric), b = std::make_shared<M>(metric);
    a->update(scores.slice(0, 0, 2), target.slice(0, 0, 2));
    b->update(scores, target);
    check_subject(name, subject_of(a, b->state_dict()));
  };
  const Tensor scores = randn({8, 3}), target = tensor({0, 1, 2, 0, 1, 2, 1, 1});
  check("Accuracy", metrics::Accuracy(), scores, target);
  check("ConfusionMatrix", metrics::ConfusionMatrix(3), scores, target);
  check("Precision", metrics::Precision(3), scores, target);
  check("Recall", metrics::Recall(3), scores, target);
  check("F1", metrics::F1(3), scores, target);
  check("Perplexity", metrics::Perplexity(), scores, target);
  check("AUROC", metrics::AUROC(), tensor({0.1, 0.5, 0.3, 0.9}), tensor({0, 1, 1, 0}));
  const auto mean = std::make_shared<metrics::Mean>(), other = std::make_shared<metrics::Mean>();
  mean->update(1);
  other->update(tensor({1.0, 2.0}));
  check_subject("Mean", subject_of(mean, other->state_dict()));
}

TEST(RefusedState, ChangesNoScalerHistoryOrGenerator) {
  using amp::GradScalerOptions;
  const auto scaler = std::make_shared<amp::GradScaler>(kCPU);
  const auto other = std::make_shared<amp::GradScaler>(
      kCPU,
      GradScalerOptions().init_scale(8).growth_factor(3).backoff_factor(0.2).growth_interval(9));
  check_subject("GradScaler", subject_of(scaler, other->state_dict()));

  const auto history = std::make_shared<train::History>(), longer = history;
  train::History two;
  for (const double loss : {1.0, 2.0}) {
    train::Numbers numbers;
    numbers.set("loss", loss);
    two.add(numbers);
  }
  check_subject("History", subject_of(history, two.state_dict()));

  for (const Device device : {Device(kCPU), Device("cuda:1")}) {
    Generator generator(device), used(device);
    used.set_current_seed(9);
    check_subject("generator of " + device.str(),
                  {[&] { return generator_state(generator); },
                   [&](const State& state) { set_generator_state(generator, state); },
                   generator_state(used)});
  }
  const State states = generator_states();
  manual_seed(77);
  check_subject("generators", {[] { return generator_states(); },
                               [](const State& state) { set_generator_states(state); }, states});
}

TEST(RefusedState, ChangesNoModule) {
  const SmallNet net, other;
  const auto subject = [](const auto& module, const State& state, bool assign) -> Subject {
    return {[=] { return module->state_dict(); },
            [=](const State& given) {
              module->load_state_dict(given, nn::LoadOptions{.assign = assign});
            },
            copy_of(state)};
  };
  for (const bool assign : {false, true}) {
    check_subject("module", subject(net.clone(), other->state_dict(), assign));
  }
  optim::AveragedModel average(net), later(net);
  later->update_parameters(other);
  check_subject("AveragedModel", subject(average, later->state_dict(), false));
}

/// Changes before it throws, and what it throws is no Error.
struct Careless : train::Callback {
  State state_dict() const override {
    State state;
    state.insert("count", count);
    return state;
  }
  void load_state_dict(const State& state) override {
    count = state["count"].is_int() ? state.get<std::int64_t>("count") : 0;
    if (count <= 0) throw std::out_of_range("a count is positive");
  }
  std::int64_t count = 1;
};

// The parts of a checkpoint, with the callbacks and the metrics.
TEST(RefusedState, ChangesNoTraining) {
  const auto states_in = [](int epoch, const std::function<void(train::Run&)>& function) {
    nn::Sequential net{nn::Linear(4, 3)};
    optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    optim::StepLR steps(sgd, 2);
    amp::GradScaler scaler(kCPU);
    auto loader = points_loader(25);
    Careless careless;
    train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
               {.epochs = epoch,
                .metrics = {{"accuracy", metrics::Accuracy()}, {"f1", metrics::F1(3)}},
                .scaler = &scaler,
                .callbacks = {train::Schedule(steps),
                              train::EarlyStop({.monitor = "loss", .restore_best = true}), careless,
                              [&](train::Run& run) {
                                careless.count = run.epoch();
                                if (run.epoch() == epoch) function(run);
                              }}});
  };
  manual_seed(1);
  State other;
  states_in(3, [&](train::Run& run) { other = copy_of(run.state_dict()); });
  states_in(1, [&](train::Run& run) {
    const auto load = [&](const State& state) {
      try {
        run.load_state_dict(state);
      } catch (const std::out_of_range& error) {
        tern::detail::raise<Error>(error.what());
      }
    };
    check_subject("training", {[&] { return run.state_dict(); }, load, other, {"initial_lr"}});
  });
}

}  // namespace
}  // namespace tern
