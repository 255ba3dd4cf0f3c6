#include <gtest/gtest.h>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// Files that Python wrote with `json.dump({k: v.tolist() for k, v in net.state_dict().items()}, f)`
// (tests/golden/state_files.py), and what PyTorch computes with them.

namespace tern {
namespace {

nn::Sequential make_net() {
  return nn::Sequential(nn::Linear(4, 3), nn::BatchNorm1d(3), nn::ReLU(), nn::Linear(3, 2));
}

TEST(JsonPython, ANetworkAnswersAsItDidThere) {
  const NoGradGuard no_grad;
  const State run = load_state(kGoldenFolder + "net_run.json");
  auto net = make_net();
  load(net, kGoldenFolder + "net.json");
  net->eval();
  const Tensor input = run["input"];
  EXPECT_TRUE(net->forward(input).allclose(run["output"], 1e-6, 1e-6));
  net->to(kDouble);
  EXPECT_TRUE(net->forward(input.to(kDouble)).allclose(run["output_double"], 1e-12, 1e-12));
}

TEST(JsonPython, DtypesComeBack) {
  const State state = load_state(kGoldenFolder + "net.json");
  EXPECT_EQ(state["0.weight"].tensor().dtype(), kFloat);
  EXPECT_EQ(state["1.num_batches_tracked"].tensor().dtype(), kLong);
  EXPECT_EQ(state["1.num_batches_tracked"].tensor().dim(), 0);
  EXPECT_EQ(load_state(kGoldenFolder + "net_run.json")["output_double"].tensor().dtype(), kDouble);
}

TEST(JsonPython, WhatWasReadIsWrittenAgain) {
  const Scratch scratch;
  auto net = make_net();
  load(net, kGoldenFolder + "net.json");
  save(net, scratch.path());
  EXPECT_TRUE(identical(load_state(scratch.path()), load_state(kGoldenFolder + "net.json")));
}

}  // namespace
}  // namespace tern
