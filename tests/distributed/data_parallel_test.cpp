#include <stdexcept>

#include <gtest/gtest.h>

#include "distributed/training.h"

// DistributedDataParallel: n ranks with a part of the batch each are one process with all of it.

namespace tern::testing {
namespace {

TEST(DistributedDataParallel, AccumulatesWithoutCommunication) {
  on_ranks(3, [](ProcessGroup& group) {
    const Net net = make_net(0), alone = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    for (std::uint64_t round = 0; round < 3;
         ++round) {  // the gradients are views from the second on
      const std::int64_t rows = std::int64_t{2} * group.size();
      const Tensor x = numbers({rows, 6}, 2 * round), y = numbers({rows, 6}, 2 * round + 1);
      net->zero_grad(/*set_to_none=*/round == 2);
      alone->zero_grad();
      {
        const auto local = ddp->no_sync();
        ddp(part_of(x, group)).square().mean().backward();
      }
      ddp(part_of(y, group)).square().mean().backward();
      (alone(x).square().mean() + alone(y).square().mean()).backward();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        EXPECT_LT(largest_difference(net->parameters()[i].grad(), alone->parameters()[i].grad()),
                  1e-12);
      }
    }
  });
}

// PyTorch silently averages nothing in these cases.
TEST(DistributedDataParallel, AveragesEveryBackward) {
  on_ranks(2, [](ProcessGroup& group) {
    const Net net = make_net(0), alone = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    const Tensor x = numbers({std::int64_t{2} * group.size(), 6}, 7);
    const auto expect_gradients = [&](double factor) {
      alone->zero_grad();
      (alone(x).square().mean() * factor).backward();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        EXPECT_LT(largest_difference(net->parameters()[i].grad(), alone->parameters()[i].grad()),
                  1e-12);
      }
      net->zero_grad();
    };
    const Tensor part = part_of(x, group);
    net(part).square().mean().backward();  // the inner module
    expect_gradients(1);
    const Tensor first = ddp(part).square().mean(), second = ddp(part).square().mean();
    first.backward();
    second.backward();
    expect_gradients(2);
    const Tensor loss = ddp(part).square().mean();
    loss.backward({}, /*retain_graph=*/true);
    loss.backward();
    expect_gradients(2);
  });
}

TEST(DistributedDataParallel, NamesUnusedParametersOnAllRanks) {
  on_ranks(3, [](ProcessGroup& group) {
    const Net net = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    const Tensor x = numbers({2, 6}, 7);
    net->uses_spare = group.rank() != 1;
    const Tensor loss = ddp(x).sum();
    const std::string text = error_of([&] { loss.backward(); });
    EXPECT_TRUE(contains(text, "; rank 1 has none for 'spare.weight', 'spare.bias'")) << text;
    EXPECT_FALSE(contains(text, "rank 0")) << text;
    net->uses_spare = true;
    net->zero_grad();
    ddp(x).sum().backward();
    EXPECT_EQ(net->spare->bias.grad()[0].item<double>(), 2);
  });
}

TEST(DistributedDataParallel, FindsUnusedParameters) {
  on_ranks(2, [](ProcessGroup& group) {
    const Net net = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group).find_unused_parameters(true));
    const Tensor x = numbers({2, 6}, 7);
    // On one rank: counts as 0.
    net->uses_spare = group.rank() != 1;
    ddp(x).sum().backward();
    const double n = group.size();
    EXPECT_NEAR(net->spare->bias.grad()[0].item<double>(), 2 * (n - 1) / n, 1e-12);
    EXPECT_NEAR(net->head->bias.grad()[0].item<double>(), 2, 1e-12);
    // On all: stays as it was.
    net->uses_spare = false;
    const Tensor old = net->spare->bias.grad().clone();
    ddp(x).sum().backward();
    EXPECT_TRUE(equal(net->spare->bias.grad(), old));
    net->zero_grad();
    ddp(x).sum().backward();
    EXPECT_FALSE(net->spare->bias.grad().defined());
    EXPECT_NEAR(net->head->bias.grad()[0].item<double>(), 2, 1e-12);
  });
}

TEST(DistributedDataParallel, GradientsAreViewsOfBuckets) {
  on_ranks(2, [](ProcessGroup& group) {
    const Net net = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    const Tensor x = numbers({2, 6}, 7);
    ddp(x).sum().backward();
    ddp(x).sum().backward();
    const Tensor& grad = net->first->weight.grad();
    const void* const home = grad.data_ptr();
    EXPECT_FALSE(grad.is_view());
    EXPECT_TRUE(grad.is_alias_of(net->head->bias.grad()));
    net->zero_grad();
    ddp(x).sum().backward();
    EXPECT_EQ(net->first->weight.grad().data_ptr(), home);
  });
}

TEST(DistributedDataParallel, RefusesModulesThatDiffer) {
  on_ranks(3, [](ProcessGroup& group) {
    const auto error = [&](const nn::Linear& net) {
      return error_of([&] { DistributedDataParallel<nn::Linear> ddp(net, ddp_options(group)); });
    };
    const std::string expects = "DistributedDataParallel expects the same module on all ranks: ";
    EXPECT_EQ(
        error(nn::Linear(3, group.rank() == 1 ? 4 : 2)),
        expects + "rank 0 has 'weight' of float32 [2, 3], rank 1 has 'weight' of float32 [4, 3]");
    EXPECT_EQ(error(nn::Linear(nn::LinearOptions(3, 2).bias(group.rank() != 1))),
              expects + "rank 0 has 'bias' of float32 [2], rank 1 has no more");
    nn::Linear frozen(3, 2);
    frozen->weight.requires_grad_(group.rank() != 1);
    EXPECT_EQ(error(frozen), expects +
                                 "rank 0 has 'weight' of float32 [2, 3], rank 1 has 'weight' "
                                 "of float32 [2, 3], frozen");
    nn::Linear still(3, 2);
    for (const Tensor& parameter : still->parameters()) parameter.requires_grad_(false);
    EXPECT_EQ(error(still),
              "DistributedDataParallel is not needed when a module doesn't have any parameter that "
              "requires a gradient.");
  });
}

TEST(DistributedDataParallel, RefusesAModuleThatChanged) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = ones({2, 6}, kDouble);
    const auto expect_error = [&](const std::function<void(Net&)>& change, const char* part) {
      Net net = make_net(0);
      DistributedDataParallel<Net> ddp(net, ddp_options(group));
      ddp(x).sum().backward();
      change(net);
      const std::string text = error_of([&] { ddp(x); });
      EXPECT_TRUE(contains(text, part)) << text;
    };
    expect_error([](Net& net) { net->to(kFloat); },
                 "parameter 'first.weight' was float64 [8, 6] on cpu when the module was wrapped, "
                 "and is now float32 [8, 6] on cpu");
    expect_error([](Net& net) { net->spare->bias.requires_grad_(false); },
                 "parameter 'spare.bias' was removed or frozen after the module was wrapped");
    expect_error([](Net& net) { net->second->replace_parameter("bias", zeros({8}, kDouble)); },
                 "parameter 'second.bias' was added, replaced or unfrozen");
  });
}

TEST(DistributedDataParallel, SharesRankZerosBuffers) {
  on_ranks(2, [](ProcessGroup& group) {
    const nn::Sequential net(nn::Linear(3, 4), nn::BatchNorm1d(4));
    DistributedDataParallel<nn::Sequential> ddp(net, ddp_options(group));
    const auto mean = [&] { return net->named_buffers()["1.running_mean"]; };
    for (std::uint64_t step = 0; step < 3; ++step) {
      ddp(numbers({5, 3}, step + static_cast<std::uint64_t>(10 * group.rank()), kFloat))
          .square()
          .sum()
          .backward();
    }
    const Tensor before = group.all_gather(mean())[0];
    ddp(ones({5, 3}));
    // One more batch, with the same numbers on all ranks.
    for (const Tensor& other : group.all_gather(mean())) EXPECT_TRUE(allclose(other, mean()));
    EXPECT_FALSE(equal(before, mean()));
    // One rank alone evaluates.
    ddp->eval();
    if (group.rank() == 0) ddp(ones({5, 3}));
    group.barrier();
  });
}

TEST(DistributedDataParallel, GoesOnAfterABackwardThatFailed) {
  on_ranks(2, [](ProcessGroup& group) {
    const Net net = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    const Tensor h = ddp(ones({2, 6}, kDouble));
    const unsigned hook = net->first->weight.register_hook(
        [](const Tensor&) -> Tensor { throw std::runtime_error("a hook"); });
    EXPECT_EQ(error_of<std::runtime_error>([&] { h.sum().backward(); }), "a hook");
    net->first->weight.remove_hook(hook);
    net->zero_grad();
    ddp(ones({2, 6}, kDouble)).sum().backward();
    EXPECT_NEAR(net->head->bias.grad()[0].item<double>(), 2, 1e-12);
  });
}

TEST(DistributedDataParallel, ReducesGradientsOnDevices) {
  on_ranks(2, [](ProcessGroup& group) {
    nn::Linear net(3, 2);
    const Device device = device_of(group, kCUDA);
    net->to(device);
    DistributedDataParallel<nn::Linear> ddp(net, ddp_options(group));
    const Tensor x = full({1, 3}, group.rank() + 1.0, device);
    for (int step = 0; step < 2; ++step) {
      net->zero_grad();
      ddp(x).sum().backward();
      EXPECT_TRUE(allclose(net->weight.grad().cpu(), full({2, 3}, (group.size() + 1) / 2.0)));
    }
  });
}

TEST(DistributedDataParallel, LeavesTheModuleAsItWas) {
  on_ranks(2, [](ProcessGroup& group) {
    const Net net = make_net(0);
    {
      DistributedDataParallel<Net> ddp(net, ddp_options(group));
      EXPECT_EQ(ddp->named_parameters().keys()[0], "module.first.weight");
      ddp(ones({1, 6}, kDouble)).sum().backward();
    }
    net->zero_grad();
    if (group.rank() == 0) net(ones({1, 6}, kDouble)).sum().backward();
    group.barrier();
  });
}

}  // namespace
}  // namespace tern::testing
