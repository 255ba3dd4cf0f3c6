#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>

#include "distributed/sharded_net.h"

// fully_shard: the training of DistributedDataParallel with a part of the memory.

namespace tern::testing {
namespace {

TEST(FullyShard, HasTheBitsOfDistributedDataParallel) {
  on_ranks(2, [](ProcessGroup& group) {
    const ShardedNet net =
        make_net<ShardedNet>(static_cast<std::uint64_t>(100 * group.rank()), kFloat);
    const ShardedNet replica = make_net<ShardedNet>(0, kFloat);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    DistributedDataParallel<ShardedNet> ddp(
        replica, nn::parallel::DistributedDataParallelOptions().process_group(group));
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    optim::SGD reference(replica->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    for (std::uint64_t step = 0; step < 20; ++step) {
      const Tensor x =
          numbers({4, 6}, 10 * step + static_cast<std::uint64_t>(group.rank()), kFloat);
      optimizer.zero_grad();
      reference.zero_grad();
      const Tensor loss = net(x).square().mean();
      const Tensor expected = ddp(x).square().mean();
      EXPECT_TRUE(equal(loss, expected));
      loss.backward();
      expected.backward();
      optimizer.step();
      reference.step();
    }
    if (group.size() == 2) expect_equal(sharded, *replica);
  });
}

/// Trains a sharded net, and a whole one with the whole batch, and expects equal parameters.
template <class MakeOptimizer>
void expect_like_one_process(int ranks, const MakeOptimizer& make_optimizer,
                             const ShardOptions& given = {}, bool has_units = true) {
  on_ranks(ranks, [&](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(static_cast<std::uint64_t>(100 * group.rank()));
    const ShardedNet alone = make_net<ShardedNet>(0);
    ShardOptions options = ShardOptions(given).process_group(group);
    if (has_units) options.units(net->blocks->children());
    const FSDPModule sharded = fully_shard(net, options);
    auto optimizer = make_optimizer(net->parameters());
    auto reference = make_optimizer(alone->parameters());
    for (std::uint64_t step = 0; step < 10; ++step) {
      const std::int64_t rows = std::int64_t{2} * group.size();
      const Tensor x = numbers({rows, 6}, 1000 + step), y = numbers({rows, 3}, 2000 + step);
      optimizer.zero_grad();
      reference.zero_grad();
      nn::functional::mse_loss(net(part_of(x, group)), part_of(y, group)).backward();
      nn::functional::mse_loss(alone(x), y).backward();
      const double norm = nn::utils::clip_grad_norm_(alone->parameters(), 0.5);
      EXPECT_NEAR(sharded.clip_grad_norm_(0.5), norm, 1e-12);
      optimizer.step();
      reference.step();
    }
    const State state = sharded.full_state_dict();
    for (const auto& [name, tensor] : alone->named_parameters()) {
      EXPECT_LT(largest_difference(state[name].tensor(), tensor), 1e-12) << name;
    }
  });
}

TEST(FullyShard, IsOneProcessWithTheWholeBatch) {
  for (const int ranks : {1, 2, 3, 4}) {
    expect_like_one_process(ranks, make_sgd);
    expect_like_one_process(ranks, make_adam);
    expect_like_one_process(ranks, make_adamw);
  }
  expect_like_one_process(3, make_adam, ShardOptions(), /*has_units=*/false);
  expect_like_one_process(3, make_adam, ShardOptions().reshard_after_forward(false));
}

TEST(FullyShard, KeepsRowsOfEachParameter) {
  TERN_NEEDS_THREADS();
  on_ranks(4, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0), whole = make_net<ShardedNet>(0);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    const auto rank = static_cast<std::size_t>(group.rank());
    // 7 rows in chunks of 2, 3 rows in chunks of 1.
    const Tensor up = net->named_parameters()["blocks.0.up.weight"];
    EXPECT_EQ(up.size(0), (std::vector<std::int64_t>{2, 2, 2, 1})[rank]);
    EXPECT_TRUE(equal(up, whole->named_parameters()["blocks.0.up.weight"].narrow(
                              0, 2 * group.rank(), up.size(0))));
    EXPECT_EQ(net->head->weight.size(0), (std::vector<std::int64_t>{1, 1, 1, 0})[rank]);
    EXPECT_EQ(net->scale.numel(), rank == 0 ? 1 : 0);
    expect_equal(sharded, *whole);
    net(ones({1, 6}, kDouble)).sum().backward();
    EXPECT_EQ(up.grad().sizes(), up.sizes());
    EXPECT_TRUE(up.is_leaf());
    EXPECT_EQ(up.size(0), (std::vector<std::int64_t>{2, 2, 2, 1})[rank]);
  });
}

TEST(FullyShard, AccumulatesWithoutCommunication) {
  on_ranks(3, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0), alone = make_net<ShardedNet>(0);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    auto optimizer = make_sgd(net->parameters());
    auto reference = make_sgd(alone->parameters());
    for (std::uint64_t round = 0; round < 3; ++round) {
      const std::int64_t rows = std::int64_t{2} * group.size();
      const Tensor x = numbers({rows, 6}, 2 * round), y = numbers({rows, 6}, 2 * round + 1);
      optimizer.zero_grad();
      reference.zero_grad();
      {
        const auto local = sharded.no_sync();
        net(part_of(x, group)).square().mean().backward();
        EXPECT_FALSE(net->head->weight.grad().defined());
      }
      net(part_of(y, group)).square().mean().backward();
      net(part_of(x, group)).square().mean().backward();  // added to what is there
      (2 * alone(x).square().mean() + alone(y).square().mean()).backward();
      optimizer.step();
      reference.step();
    }
    const State state = sharded.full_state_dict();
    for (const auto& [name, tensor] : alone->named_parameters()) {
      EXPECT_LT(largest_difference(state[name].tensor(), tensor), 1e-12) << name;
    }
  });
}

TEST(FullyShard, NeedsAPartOfTheMemory) {
  constexpr std::int64_t kWidth = 192, kUnits = 8;
  on_ranks(4, [&](ProcessGroup& group) {
    nn::Sequential net;
    for (int i = 0; i < kUnits; ++i) {
      net->push_back(
          nn::Sequential(nn::Linear(kWidth, kWidth), nn::Tanh(), nn::Linear(kWidth, kWidth)));
    }
    const std::int64_t unit = 2 * (kWidth * kWidth + kWidth) * std::int64_t{sizeof(float)};
    const FSDPModule sharded = fully_shard(net, options_of(group).units(net->children()));
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(1e-3));
    auto& memory = tern::detail::allocator_of(kCPU);
    group.barrier();
    if (is_under_mpirun() || group.rank() == 0) memory.reset_peak(0);
    group.barrier();
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      net->forward(ones({1, kWidth})).square().sum().backward();
      optimizer.step();
    }
    group.barrier();
    // Ranks that are threads share the counters.
    const int here = is_under_mpirun() ? 1 : group.size();
    const double peak = static_cast<double>(memory.stats(0).peak_bytes) / here;
    const double whole = static_cast<double>(4 * kUnits * unit);  // with Adam's state
    const double n = group.size();
    // The largest unit twice, each with its gradients.
    EXPECT_LT(peak, whole * (1 / n + 0.1) + 2 * 2 * static_cast<double>(unit));
    EXPECT_GT(peak, whole / n);
    group.barrier();
  });
}

struct TiedImpl : nn::Cloneable<TiedImpl> {
  TiedImpl() { reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(5, 5));
    second = register_module("second", nn::Linear(5, 5));
    spare = register_module("spare", nn::Linear(5, 5));
    norm = register_module("norm", nn::BatchNorm1d(5));
    second->replace_parameter("weight", first->weight);
    first->bias.requires_grad_(false);
  }
  Tensor forward(const Tensor& x) {
    const Tensor h = second(tanh(norm(first(x))));
    return uses_spare ? spare(h) : h;
  }
  bool uses_spare = false;
  nn::Linear first{nullptr}, second{nullptr}, spare{nullptr};
  nn::BatchNorm1d norm{nullptr};
};
TERN_MODULE(Tied);

TEST(FullyShard, TakesTiedFrozenAndUnusedParametersAndBuffers) {
  on_ranks(2, [](ProcessGroup& group) {
    const auto make = [](std::uint64_t seed) {
      Tied net;
      net->to(kDouble);
      const NoGradGuard no_grad;
      for (const Tensor& p : net->parameters()) p.copy_(numbers(p.sizes(), seed++));
      net->norm->running_mean.fill_(static_cast<double>(seed));
      return net;
    };
    const Tied net = make(static_cast<std::uint64_t>(50 * group.rank())), alone = make(0);
    // The tied weight is in two units, so that the module gathers it.
    const FSDPModule sharded = fully_shard(
        net, options_of(group).units({net->first.ptr(), net->second.ptr(), net->spare.ptr()}));
    EXPECT_TRUE(equal(net->norm->running_mean, alone->norm->running_mean));
    expect_equal(sharded, *alone);
    const Tensor x = numbers({4, 5}, 7);
    const auto expect_gradients = [&](const Tensor& loss, const Tensor& expected) {
      loss.backward();
      expected.backward();
      for (const auto& [name, parameter] : alone->named_parameters()) {
        const Tensor grad = net->named_parameters()[name].grad();
        ASSERT_EQ(grad.defined(), parameter.grad().defined()) << name;
        if (!grad.defined()) continue;
        const std::int64_t chunk = (5 + group.size() - 1) / group.size();
        EXPECT_LT(largest_difference(
                      grad, parameter.grad().narrow(
                                0, std::min<std::int64_t>(5, chunk * group.rank()), grad.size(0))),
                  1e-12)
            << name;
      }
      net->zero_grad();
      alone->zero_grad();
    };
    expect_gradients(net(x).square().sum(), alone(x).square().sum());
    EXPECT_FALSE(net->first->bias.grad().defined());
    net->uses_spare = alone->uses_spare = true;
    expect_gradients(net(x).square().sum(), alone(x).square().sum());
    // Frozen and unfrozen later; twice in one graph; two graphs.
    net->first->bias.requires_grad_(true);
    alone->first->bias.requires_grad_(true);
    expect_gradients((net(x) + net(2 * x)).square().sum(),
                     (alone(x) + alone(2 * x)).square().sum());
    const Tensor a = net(x).sum(), b = net(x).square().sum();
    a.backward();
    expect_gradients(b, alone(x).square().sum() + alone(x).sum());
    // A graph used twice.
    const Tensor loss = net(x).square().sum();
    loss.backward({}, /*retain_graph=*/true);
    expect_gradients(loss, 2 * alone(x).square().sum());
    // One unit by itself; a gradient of inputs and of parameters.
    expect_gradients(net->spare(x).square().sum(), alone->spare(x).square().sum());
    const Tensor input = x.clone().requires_grad_();
    const auto gradients = autograd::grad({net(input).square().sum()}, {input, net->spare->weight});
    const Tensor same = x.clone().requires_grad_();
    const auto expected =
        autograd::grad({alone(same).square().sum()}, {same, alone->spare->weight});
    EXPECT_LT(largest_difference(gradients[0], expected[0]), 1e-12);
    EXPECT_EQ(gradients[1].sizes(), net->spare->weight.sizes());
    EXPECT_FALSE(net->spare->weight.grad().defined());
    // Evaluation.
    const NoGradGuard no_grad;
    EXPECT_LT(largest_difference(net(x), alone(x)), 1e-12);
  });
}

TEST(FullyShard, RecomputesCheckpointedParts) {
  on_ranks(2, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0), alone = make_net<ShardedNet>(0);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    const Tensor x = numbers({2, 6}, 7).requires_grad_();
    const auto run = [&](const ShardedNet& of) {
      // The whole blocks, and parts of the module's own unit.
      const Tensor h = autograd::checkpoint(
          [&](const Tensor& in) { return tanh(of->blocks->forward(of->embed(in))); }, x);
      return autograd::checkpoint([&](const Tensor& in) { return of->head(in); }, h).square().sum();
    };
    run(net).backward();
    const Tensor gradient = x.grad().clone();
    x.mutable_grad().reset();
    run(alone).backward();
    EXPECT_LT(largest_difference(gradient, x.grad()), 1e-12);
    const Tensor grad = net->embed->weight.grad();
    const Tensor rows = alone->embed->weight.grad().narrow(
        0, std::min<std::int64_t>(6, group.rank() * ((6 + group.size() - 1) / group.size())),
        grad.size(0));
    EXPECT_LT(largest_difference(grad, rows), 1e-12);
  });
}

}  // namespace
}  // namespace tern::testing
