#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include <tern/train/grad_scaler.h>

#include "distributed/sharded_net.h"

// The dtypes, states and errors of sharded modules.

namespace tern::testing {
namespace {

TEST(FullyShard, ComputesInTheDtypesOfThePolicy) {
  on_ranks(2, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0, kFloat);
    ScalarType seen = kFloat, seen_weight = kFloat;
    net->head->register_forward_pre_hook(
        [&](nn::Module& module, std::vector<nn::AnyValue>& inputs) {
          seen = inputs[0].get<Tensor>().scalar_type();
          seen_weight = module.as<nn::Linear>()->weight.scalar_type();
        });
    const auto policy =
        nn::parallel::MixedPrecisionPolicy().param_dtype(kBFloat16).reduce_dtype(kFloat);
    const FSDPModule sharded = fully_shard(net, units_of(group, net).mp_policy(policy));
    const Tensor y = net(numbers({2, 6}, 7, kFloat));
    EXPECT_EQ(y.scalar_type(), kBFloat16);
    EXPECT_EQ(seen, kBFloat16);
    EXPECT_EQ(seen_weight, kBFloat16);
    y.square().sum().backward();
    EXPECT_EQ(net->head->weight.scalar_type(), kFloat);
    EXPECT_EQ(net->head->weight.grad().scalar_type(), kFloat);
    const ShardedNet alone = make_net<ShardedNet>(0, kFloat);
    alone(numbers({2, 6}, 7, kFloat)).square().sum().backward();
    const Tensor whole = alone->head->bias.grad();
    const Tensor grad = net->head->bias.grad();
    if (group.rank() == 0) {
      EXPECT_TRUE(allclose(grad, whole.narrow(0, 0, grad.size(0)), 0.05, 0.05));
    }
  });
}

TEST(FullyShard, LoadsAndGivesWholeStates) {
  on_ranks(3, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0), alone = make_net<ShardedNet>(40);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    auto optimizer = make_adam(net->parameters());
    auto reference = make_adam(alone->parameters());
    sharded.load_full_state_dict(alone->state_dict());
    expect_equal(sharded, *alone);
    const auto step = [&] {
      const Tensor x = numbers({2, 6}, 7);
      optimizer.zero_grad();
      reference.zero_grad();
      net(x).square().sum().backward();
      alone(x).square().sum().backward();
      optimizer.step();
      reference.step();
    };
    step();
    const State whole = sharded.full_optimizer_state_dict(optimizer);
    EXPECT_LT(largest_difference(whole["state"]["0"]["exp_avg"].tensor(),
                                 reference.state_dict()["state"]["0"]["exp_avg"].tensor()),
              1e-12);
    reference.load_state_dict(whole);
    sharded.load_full_optimizer_state_dict(optimizer, reference.state_dict());
    step();
    const State state = sharded.full_state_dict(nn::parallel::WholeOn::kRankZero);
    const State divided = sharded.full_state_dict(nn::parallel::WholeOn::kDivided);
    for (const auto& [name, tensor] : alone->named_parameters()) {
      EXPECT_EQ(state[name].tensor().device().is_meta(), group.rank() != 0);
      EXPECT_EQ(state[name].tensor().sizes(), tensor.sizes());
      for (const State& one : {state, divided}) {
        const Tensor part = one[name].tensor();
        if (part.device().is_meta()) continue;
        EXPECT_LT(largest_difference(part, tensor), 1e-12);
      }
      const Tensor owners = tensor.device().is_meta() ? Tensor() : ones({1});
      owners.fill_(divided[name].tensor().device().is_meta() ? 0 : 1);
      group.all_reduce(owners);
      EXPECT_EQ(owners.item<float>(), 1) << name;
    }
    EXPECT_TRUE(contains(error_of([&] {
                           State bad = alone->state_dict();
                           bad.set("head.weight", zeros({2, 6}, kDouble));
                           sharded.load_full_state_dict(bad);
                         }),
                         "size mismatch for head.weight: the state has [2, 6], the whole parameter "
                         "has [3, 6]"));
  });
}

TEST(FullyShard, RefusesWhatItCannotShard) {
  on_ranks(2, [](ProcessGroup& group) {
    const auto error = [&](const ShardedNet& net, const ShardOptions& options) {
      return error_of([&] { fully_shard(net, options); });
    };
    ShardedNet net = make_net<ShardedNet>(0);
    const FSDPModule sharded = fully_shard(net, options_of(group));
    EXPECT_TRUE(contains(error(net, options_of(group)), "parameter 'scale' is sharded already"));
    EXPECT_TRUE(contains(error_of([&] {
                           DistributedDataParallel<ShardedNet> ddp(
                               net,
                               nn::parallel::DistributedDataParallelOptions().process_group(group));
                         }),
                         "parameter 'scale' is sharded"));
    net->blocks->children()[0]->parameters()[0].mutable_grad() =
        zeros_like(net->blocks->children()[0]->parameters()[0]);
    EXPECT_TRUE(contains(error_of([&] { nn::utils::clip_grad_norm_(net->parameters(), 1); }),
                         "a part of the gradients of a sharded module"));
    net = make_net<ShardedNet>(0);
    const auto block = net->blocks->children()[0];
    EXPECT_TRUE(contains(error(net, options_of(group).units({block, block})), "comes twice"));
    EXPECT_TRUE(contains(error(net, options_of(group).units({make_net<ShardedNet>(0).ptr()})),
                         "is not below the module"));
    {
      DistributedDataParallel<ShardedNet> ddp(
          net, nn::parallel::DistributedDataParallelOptions().process_group(group));
      if (group.size() > 1) {
        EXPECT_TRUE(contains(error(net, options_of(group)),
                             "parameter 'scale' is in a DistributedDataParallel"));
      }
    }
    EXPECT_TRUE(
        contains(error_of([&] { fully_shard(nn::Linear(3, 2 + group.rank()), options_of(group)); }),
                 "fully_shard expects the same module on all ranks: rank 0 has 'weight' "
                 "of float32 [2, 3], rank 1 has 'weight' of float32 [3, 3]"));
    net->to(kMeta);
    EXPECT_TRUE(contains(error(net, options_of(group)), "parameter 'scale' is on meta"));
  });
}

TEST(FullyShard, RefusesAModuleThatChanged) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = ones({2, 6}, kDouble);
    const auto expect_error = [&](const std::function<void(ShardedNet&)>& change,
                                  const char* part) {
      ShardedNet net = make_net<ShardedNet>(0);
      const FSDPModule sharded = fully_shard(net, units_of(group, net));
      net(x).sum().backward();
      change(net);
      const std::string text = error_of([&] { net(x); });
      EXPECT_TRUE(contains(text, part)) << text;
    };
    expect_error([](ShardedNet& net) { net->to(kFloat); }, "parameter 'scale' had float64 rows [");
    expect_error([](ShardedNet& net) { net->head->replace_parameter("bias", zeros({3}, kDouble)); },
                 "parameter 'head.bias' was added or replaced");
    expect_error(
        [](ShardedNet& net) {
          net = ShardedNet(std::dynamic_pointer_cast<ShardedNetImpl>(net->clone()));
        },
        "a copy of the sharded module");
  });
}

TEST(FullyShard, NamesOrdersThatDiffer) {
  on_ranks(2, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    const NoGradGuard no_grad;
    // All blocks have parameters of the same sizes.
    const auto blocks = net->blocks->children();
    const std::string text = error_of([&] {
      const auto number = static_cast<std::size_t>(group.rank() % 2);
      Block(std::dynamic_pointer_cast<BlockImpl>(blocks[number]))(ones({1, 6}, kDouble));
    });
    EXPECT_TRUE(contains(text, "the ranks call different collectives")) << text;
  });
}

TEST(FullyShard, GoesOnAfterErrors) {
  on_ranks(2, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0);
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    EXPECT_NE(error_of([&] { net(ones({2, 5}, kDouble)); }), "");
    EXPECT_EQ(net->scale.dim(), 1);  // rows again
    const Tensor x = ones({2, 6}, kDouble);
    const Tensor loss = net(x).sum();
    const unsigned hook = net->embed->weight.register_hook(
        [](const Tensor&) -> Tensor { throw std::runtime_error("a hook"); });
    EXPECT_EQ(error_of<std::runtime_error>([&] { loss.backward(); }), "a hook");
    net->embed->weight.remove_hook(hook);
    net->zero_grad();
    net(x).sum().backward();
    const ShardedNet alone = make_net<ShardedNet>(0);
    alone(x).sum().backward();
    const Tensor grad = net->head->bias.grad();
    if (grad.numel() > 0 && group.rank() == 0) {
      EXPECT_LT(largest_difference(grad, alone->head->bias.grad().narrow(0, 0, grad.size(0))),
                1e-12);
    }
  });
}

TEST(FullyShard, ShardsModulesOnDevices) {
  on_ranks(2, [](ProcessGroup& group) {
    const ShardedNet net = make_net<ShardedNet>(0, kFloat), alone = make_net<ShardedNet>(0, kFloat);
    net->to(device_of(group, kCUDA));
    const FSDPModule sharded = fully_shard(net, units_of(group, net));
    const Tensor x = numbers({2, 6}, 7, kFloat);
    EXPECT_TRUE(allclose(net(x.to(device_of(group, kCUDA))).cpu(), alone(x), 1e-4, 1e-5));
    net(x.to(device_of(group, kCUDA))).square().sum().backward();
    EXPECT_TRUE(net->head->weight.grad().is_cuda());
    const State state = sharded.full_state_dict();
    EXPECT_TRUE(equal(state["head.weight"].tensor(), alone->head->weight));
  });
}

// The rows of one rank have the infinity.
TEST(FullyShard, AGradScalerSkipsTheStepOnAllRanks) {
  on_ranks(3, [](ProcessGroup& group) {
    const ShardedNet net;
    const FSDPModule sharded = fully_shard(net, options_of(group));
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1));
    amp::GradScaler scaler(kCPU, amp::GradScalerOptions().init_scale(16));
    const auto step = [&](bool is_bad) {
      optimizer.zero_grad();
      scaler.scale(net(ones({2, 6})).square().mean()).backward();
      if (is_bad && group.rank() == 1) net->embed->weight.grad().fill_(INFINITY);
      scaler.step(optimizer);
      scaler.update();
      return sharded.full_state_dict()["embed.weight"].tensor().clone();
    };
    const Tensor before = sharded.full_state_dict()["embed.weight"].tensor().clone();
    EXPECT_TRUE(equal(step(true), before));
    EXPECT_EQ(scaler.get_scale(), 8);
    EXPECT_FALSE(equal(step(false), before));
    EXPECT_EQ(scaler.get_scale(), 8);
  });
}

}  // namespace
}  // namespace tern::testing
