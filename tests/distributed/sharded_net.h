#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distributed/training.h"

// A net of three equal blocks, for tests of fully_shard().

namespace tern::testing {

using nn::parallel::FSDPModule;
using nn::parallel::fully_shard;
using ShardOptions = nn::parallel::FullyShardOptions;

struct BlockImpl : nn::Cloneable<BlockImpl> {
  BlockImpl() { reset(); }
  void reset() override {
    up = register_module("up", nn::Linear(6, 7));
    down = register_module("down", nn::Linear(7, 6));
  }
  Tensor forward(const Tensor& x) { return x + down(relu(up(x))); }
  nn::Linear up{nullptr}, down{nullptr};
};
TERN_MODULE(Block);

struct ShardedNetImpl : nn::Cloneable<ShardedNetImpl> {
  ShardedNetImpl() { reset(); }
  void reset() override {
    embed = register_module("embed", nn::Linear(6, 6));
    blocks = register_module("blocks", nn::Sequential(Block(), Block(), Block()));
    head = register_module("head", nn::Linear(6, 3));
    scale = register_parameter("scale", ones({}));
  }
  Tensor forward(const Tensor& x) { return head(blocks->forward(tanh(embed(x)))) * scale; }
  nn::Linear embed{nullptr}, head{nullptr};
  nn::Sequential blocks{nullptr};
  Tensor scale;
};
TERN_MODULE(ShardedNet);

inline ShardOptions options_of(const ProcessGroup& group) {
  return ShardOptions().process_group(group);
}

inline ShardOptions units_of(const ProcessGroup& group, const ShardedNet& net) {
  return options_of(group).units(net->blocks->children());
}

/// Expects the whole parameters of a sharded module to be those of another one.
inline void expect_equal(const FSDPModule& sharded, const nn::Module& other) {
  const State state = sharded.full_state_dict();
  for (const auto& [name, tensor] : other.named_parameters()) {
    EXPECT_TRUE(equal(state[name].tensor(), tensor)) << name;
  }
}

inline const auto make_sgd = [](const std::vector<Tensor>& parameters) {
  return optim::SGD(parameters, optim::SGDOptions(0.1).momentum(0.9));
};
inline const auto make_adam = [](const std::vector<Tensor>& parameters) {
  return optim::Adam(parameters, optim::AdamOptions(1e-2));
};
inline const auto make_adamw = [](const std::vector<Tensor>& parameters) {
  return optim::AdamW(parameters, optim::AdamWOptions(1e-2).weight_decay(0.1));
};

}  // namespace tern::testing
