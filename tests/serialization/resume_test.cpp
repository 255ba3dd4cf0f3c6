#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <functional>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/data/data.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/optim/adam.h>
#include <tern/serialization/checkpoint.h>

#include "scratch.h"
#include "state_formats.h"

// Training that stops anywhere and goes on from its checkpoint: to the bit as if it had not
// stopped.

namespace tern {
namespace {

/// Always the same examples, six batches of them.
auto make_loader() {
  Generator generator;
  data::datasets::TensorDataset examples(randn({22, 4}, generator));
  return data::make_data_loader(examples.map(data::transforms::Stack<data::TensorExample>()), 4);
}

/// A scheduler as users write them: the learning rate falls with every step. What it has set is in
/// the optimizer's groups; its own state is what it computes the next one from.
struct Scheduler {
  explicit Scheduler(optim::Optimizer& optimizer_)
      : optimizer(optimizer_), first_lr(optimizer_.param_groups()[0].options().get_lr()) {}

  void step() {
    ++steps;
    for (optim::OptimizerParamGroup& group : optimizer.param_groups()) {
      group.options().set_lr(first_lr * std::pow(0.9, steps));
    }
  }

  State state_dict() const {
    State state;
    state.insert("first_lr", first_lr);
    state.insert("steps", steps);
    return state;
  }
  void load_state_dict(const State& state) {
    first_lr = state.get<double>("first_lr");
    steps = state.get<int>("steps");
  }

  optim::Optimizer& optimizer;
  double first_lr;
  int steps = 0;
};

/// A model in training, with all that decides how it goes on.
struct Training {
  explicit Training(Device where)
      : device(where),
        net(nn::Linear(4, 8), nn::BatchNorm1d(8), nn::ReLU(), nn::Dropout(0.3), nn::Linear(8, 1)),
        adam(net->parameters(), optim::AdamOptions(1e-2)) {
    net->to(device);
  }

  /// Trains until `end` steps are done, and calls `after_step` after each.
  void run(
      int end, const std::function<void()>& after_step = [] {}) {
    while (step < end) {
      for (const auto& batch : *loader) {
        adam.zero_grad();
        const Tensor x = batch.data.to(device);
        const Tensor loss = (net->forward(x + 0.1 * randn_like(x)) - 1).square().mean();
        loss.backward();
        adam.step();
        scheduler.step();
        best = std::min(best, loss.item<double>());
        ++step;
        after_step();
        if (step == end) return;
      }
    }
  }

  State state_dict() const {
    State state;
    state.insert("model", net->state_dict());
    state.insert("optimizer", adam.state_dict());
    state.insert("scheduler", scheduler.state_dict());
    state.insert("loader", loader->state_dict());
    state.insert("generators", generator_states());
    state.insert("step", step);
    state.insert("best", best);
    return state;
  }

  void load_state_dict(const State& state) {
    net->load_state_dict(state["model"]);
    adam.load_state_dict(state["optimizer"]);
    scheduler.load_state_dict(state["scheduler"]);
    loader->load_state_dict(state["loader"]);
    set_generator_states(state["generators"]);
    step = state.get<int>("step");
    best = state.get<double>("best");
  }

  Device device;
  nn::Sequential net;
  optim::Adam adam;
  Scheduler scheduler{adam};
  decltype(make_loader()) loader = make_loader();
  int step = 0;
  double best = std::numeric_limits<double>::infinity();
};

constexpr int kSteps = 14;  // more than two epochs

class Resume : public ::testing::TestWithParam<const char*> {
 protected:
  static State trained(Device device) {
    manual_seed(1);
    Training training(device);
    training.run(kSteps);
    return training.state_dict();
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("checkpoint") + GetParam();
};

TEST_P(Resume, AtAnyStep) {
  for (const Device device : {Device(kCPU), Device(kCUDA, 1)}) {
    const State expected = trained(device);
    for (int stop = 0; stop <= kSteps; ++stop) {
      manual_seed(1);
      Training first(device);
      first.run(stop);
      save(first, path_);

      manual_seed(99);
      Training second(device);
      second.run(2);  // whatever was there before does not matter
      load(second, path_);
      ASSERT_TRUE(identical(second.state_dict(), first.state_dict())) << stop << " on " << device;
      second.run(kSteps);
      ASSERT_TRUE(identical(second.state_dict(), expected)) << stop << " on " << device;
    }
  }
}

TEST_P(Resume, AfterKills) {
  const auto start = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        manual_seed(1);
        Training training(kCPU);
        if (std::filesystem::exists(path_)) load(training, path_);
        training.run(kSteps, [&] { save(training, path_); });
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    return child;
  };
  // Of a child, too: it has no generators of CUDA when this process has used CUDA before.
  int whole = -1;
  ASSERT_GT(::waitpid(start(), &whole, 0), 0);
  ASSERT_EQ(whole, 0);
  const State expected = load_state(path_);
  const long rounds = count_for(2, 200);
  long kills = 0;
  for (long round = 0; round < rounds; ++round) {
    std::filesystem::remove(path_);
    // Longer and longer: on a busy machine a step may take any time.
    long most = 40000;
    for (int status = -1; status != 0; most += 4000) {
      const pid_t child = start();
      ASSERT_GE(child, 0);
      ::usleep(static_cast<useconds_t>(5000 + kills * 7919 % most));
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status) || status == 0);
      ++kills;
    }
    ASSERT_TRUE(identical(load_state(path_), expected)) << "round " << round;
  }
  EXPECT_GT(kills, rounds) << "the training was never stopped";
}

TEST(GeneratorStates, AllOrNone) {
  manual_seed(1);
  const State states = generator_states();
  EXPECT_EQ(states.keys(), (std::vector<std::string>{"cpu", "cuda:0", "cuda:1"}));
  const Tensor cpu = rand({3}), cuda = rand({3}, Device(kCUDA, 1));
  set_generator_states(states);
  EXPECT_TRUE(rand({3}).equal(cpu));
  EXPECT_TRUE(rand({3}, Device(kCUDA, 1)).equal(cuda));

  rand({3});
  const State before = generator_states();
  ASSERT_FALSE(identical(before["cpu"], states["cpu"]));
  const auto refuses = [&](const char* device, const State& state) {
    State broken = states;  // its first one, of the CPU, is good
    broken.set(device, state);
    EXPECT_THROW(set_generator_states(broken), Error) << device;
    EXPECT_TRUE(identical(generator_states(), before)) << device;
  };
  refuses("cuda:1", "AAAA");
  refuses("cuda:1", 3);
  for (const char* device : {"cuda", "meta", "gpu"}) refuses(device, states["cuda:1"]);

  State elsewhere;  // from a machine with more devices
  elsewhere.insert("cuda:7", states["cuda:1"]);
  set_generator_states(elsewhere);
  EXPECT_TRUE(identical(generator_state(default_generator(Device(kCUDA, 7))), states["cuda:1"]));
}

INSTANTIATE_TEST_SUITE_P(, Resume, ::testing::ValuesIn(kStateFormats), format_name);

}  // namespace
}  // namespace tern
