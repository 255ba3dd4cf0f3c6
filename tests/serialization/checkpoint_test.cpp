#include <tern/serialization/checkpoint.h>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/allocator.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/optim/adam.h>

#include "scratch.h"

namespace tern {
namespace {

/// A model in training: it draws noise and has momentum and statistics.
struct CheckpointTraining {
  CheckpointTraining()
      : net(nn::Linear(4, 8), nn::BatchNorm1d(8), nn::ReLU(), nn::Dropout(0.3), nn::Linear(8, 1)),
        adam(net->parameters(), optim::AdamOptions(1e-2)) {}

  void step() {
    adam.zero_grad();
    const Tensor x = randn({16, 4}, generator);
    net->forward(x).square().sum().backward();
    adam.step();
    ++epoch;
  }

  State state() const {
    State result;
    result.insert("model", net->state_dict());
    result.insert("optimizer", adam.state_dict());
    result.insert("own generator", generator_state(generator));
    result.insert("generator", generator_state(default_generator(kCPU)));
    result.insert("epoch", epoch);
    return result;
  }

  void resume(const State& state) {
    net->load_state_dict(state["model"]);
    adam.load_state_dict(state["optimizer"]);
    set_generator_state(generator, state["own generator"]);
    set_generator_state(default_generator(kCPU), state["generator"]);
    epoch = state.get<int>("epoch");
  }

  nn::Sequential net;
  optim::Adam adam;
  Generator generator{kCPU};
  int epoch = 0;
};

TEST(Checkpoint, TrainingGoesOnToTheBit) {
  const Scratch scratch;
  manual_seed(1);
  CheckpointTraining whole;
  for (int i = 0; i < 3; ++i) whole.step();
  save(whole.state(), scratch.path());
  for (int i = 0; i < 4; ++i) whole.step();
  const State expected = whole.state();

  manual_seed(99);
  CheckpointTraining resumed;
  resumed.step();  // whatever was there before does not matter
  resumed.resume(load_state(scratch.path()));
  EXPECT_EQ(resumed.epoch, 3);
  EXPECT_TRUE(identical(resumed.state(), load_state(scratch.path())));
  for (int i = 0; i < 4; ++i) resumed.step();
  EXPECT_TRUE(identical(resumed.state(), expected));
}

TEST(Checkpoint, AnythingWithAStateIsSavedAndLoaded) {
  const Scratch scratch;
  manual_seed(1);
  CheckpointTraining a, b;
  a.step();
  EXPECT_FALSE(identical(a.net->state_dict(), b.net->state_dict()));
  save(a.net, scratch.path("holder.json"));
  save(*a.net, scratch.path("module.json"));
  save(a.net.ptr(), scratch.path("pointer.json"));
  save(a.adam, scratch.path("optimizer.json"));
  save(a.state(), scratch.path("state.json"));
  save(ones({2}), scratch.path("tensor.json"));
  EXPECT_EQ(read_file(scratch.path("holder.json")), read_file(scratch.path("pointer.json")));

  EXPECT_TRUE(load(b.net, scratch.path("module.json")).missing_keys.empty());
  EXPECT_TRUE(identical(a.net->state_dict(), b.net->state_dict()));
  load(b.adam, scratch.path("optimizer.json"));
  EXPECT_TRUE(identical(a.adam.state_dict(), b.adam.state_dict()));
  State state;
  load(state, scratch.path("state.json"));
  EXPECT_EQ(state.get<int>("epoch"), 1);
  Tensor tensor;
  load(tensor, scratch.path("tensor.json"));
  EXPECT_TRUE(tensor.equal(ones({2})));

  nn::Sequential part(nn::Linear(4, 8));
  EXPECT_THROW(load(part, scratch.path("holder.json")), Error);
  const auto keys = load(part, scratch.path("holder.json"), /*strict=*/false);
  EXPECT_TRUE(keys.missing_keys.empty());
  EXPECT_FALSE(keys.unexpected_keys.empty());
  EXPECT_TRUE(part->state_dict()["0.weight"].tensor().equal(a.net->state_dict()["0.weight"]));
}

TEST(Checkpoint, MemoryThatRunsOutLeavesTheModel) {
  const Scratch scratch;
  manual_seed(1);
  CheckpointTraining a, b;
  a.step();
  save(a.net, scratch.path());
  const State before = load_state(scratch.path());
  save(b.net, scratch.path("b.json"));
  const State old = load_state(scratch.path("b.json"));
  for (int n = 1;; ++n) {
    testing::fail_allocation(n);
    try {
      load(b.net, scratch.path());
      testing::fail_allocation(0);
      EXPECT_GT(n, 5);
      break;
    } catch (const OutOfMemoryError&) {
      testing::fail_allocation(0);
      EXPECT_TRUE(identical(b.net->state_dict(), old)) << "allocation " << n;
    }
  }
  EXPECT_TRUE(identical(b.net->state_dict(), before));
}

}  // namespace
}  // namespace tern
