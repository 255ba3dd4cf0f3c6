#include <limits>
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "distributed/training.h"

// What newcomers do wrong: an error that names it on every rank, and nobody waits for ever.

namespace tern::testing {
namespace {

void expect_usable(const ProcessGroup& group) {
  const Tensor x = ones({1});
  group.all_reduce(x);
  EXPECT_EQ(x.item<int>(), group.size());
}

/// A second group of the same ranks, in which processes wait only briefly. Threads find a deadlock
/// at once.
ProcessGroup impatient(const ProcessGroup& group) {
  ProcessGroup other = group.split(0);
  if (is_under_mpirun()) other.set_timeout(0.5);
  return other;
}

/// What a rank gets whose others do something else for ever.
void expect_names(const std::string& text, const std::string& call) {
  EXPECT_TRUE(contains(text, "deadlock: every rank waits") || contains(text, "waited 0.5 s in "))
      << text;
  EXPECT_TRUE(contains(text, call)) << text;
}

TEST(WrongUse, AMovedGroupIsTheSameGroup) {
  on_ranks(2, [](ProcessGroup& group) {
    ProcessGroup first = group.split(0);
    const ProcessGroup second = std::move(first);
    EXPECT_EQ(first.rank(), group.rank());
    expect_usable(second);
  });
}

TEST(WrongUse, ATimeoutMayBeEndless) {
  on_ranks(2, [](ProcessGroup& group) {
    ProcessGroup patient = group.split(0);
    patient.set_timeout(std::numeric_limits<double>::infinity());
    EXPECT_EQ(patient.timeout(), 1e9);
    expect_usable(patient);
  });
  EXPECT_EQ(error_of([] { ProcessGroup().set_timeout(std::numeric_limits<double>::quiet_NaN()); }),
            "set_timeout: seconds must be above 0, got nan");
}

TEST(WrongUse, RunNeedsAProgram) {
  EXPECT_EQ(error_of([] { distributed::run(2, nullptr); }),
            "run: the program is an empty function");
}

TEST(WrongUse, AGroupThatOutlivesItsRanks) {
  TERN_NEEDS_THREADS();
  std::optional<ProcessGroup> kept;
  std::optional<nn::parallel::DistributedDataParallel<nn::Linear>> wrapped;
  nn::Linear net(2, 1);
  distributed::run(2, [&](ProcessGroup& group) {
    if (group.rank() == 1)
      return nn::parallel::DistributedDataParallel<nn::Linear>(nn::Linear(2, 1),
                                                               ddp_options(group)),
             void();
    kept.emplace(group);
    wrapped.emplace(net, ddp_options(group));
  });
  EXPECT_TRUE(contains(error_of([&] { kept->barrier(); }), "has ended"));
  EXPECT_TRUE(contains(error_of([&] { (*wrapped)(ones({1, 2})).sum().backward(); }), "has ended"));
}

TEST(WrongUse, ARootOfOneRankThatDoesNotExist) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = ones({2});
    if (group.rank() == 1) {
      EXPECT_EQ(error_of<IndexError>([&] { group.broadcast(x, group.size()); }),
                "broadcast: rank " + std::to_string(group.size()) + " is not in a group of size " +
                    std::to_string(group.size()));
    }
    // Rank 1 goes on with the next call.
    const std::string text = error_of([&] {
      if (group.rank() != 1) return group.broadcast(x);
      group.barrier();
    });
    EXPECT_TRUE(contains(text, "rank 0 calls broadcast from rank 0 of float32 [2] at ")) << text;
    EXPECT_TRUE(contains(text, "rank 1 calls barrier at ")) << text;
    expect_usable(group);
  });
}

TEST(WrongUse, MessagesToNobody) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = ones({2});
    const std::string own = "rank " + std::to_string(group.rank()) + " is this rank itself";
    EXPECT_EQ(error_of([&] { group.send(x, group.rank()); }), "send: " + own);
    EXPECT_EQ(error_of([&] { group.recv(x, group.rank()); }), "recv: " + own);
    for (const int nobody : {-1, group.size()}) {
      const std::string outside = "rank " + std::to_string(nobody) + " is not in a group of size " +
                                  std::to_string(group.size());
      EXPECT_EQ(error_of<IndexError>([&] { group.send(x, nobody); }), "send: " + outside);
      EXPECT_EQ(error_of<IndexError>([&] { group.recv(x, nobody); }), "recv: " + outside);
    }
    expect_usable(group);
  });
}

TEST(WrongUse, InputAndOutputOnTwoDevicesAreCopied) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = full({2}, group.rank(), TensorOptions(kFloat));
    const Tensor want = arange(group.size(), kFloat).view({-1, 1}).expand({group.size(), 2});
    const Device device = device_of(group, kCUDA);
    const Tensor on_device = zeros({group.size(), 2}, device);
    group.all_gather(on_device, x);
    EXPECT_TRUE(equal(on_device.cpu(), want));
    const Tensor on_host = zeros({group.size(), 2});
    group.all_gather(on_host, x.to(device));
    EXPECT_TRUE(equal(on_host, want));
  });
}

TEST(WrongUse, AGroupOfThisRankAloneOnADevice) {
  on_ranks(2, [](ProcessGroup& group) {
    const ProcessGroup alone = group.split(group.rank());
    const Tensor x = full({2}, 3.0, device_of(group, kCUDA)), y = zeros_like(x);
    alone.all_reduce(x, ReduceOp::kMean);
    alone.reduce_scatter(y, x);
    EXPECT_TRUE(equal(y.cpu(), full({2}, 3.0)));
    alone.all_to_all(y.zero_(), x);
    EXPECT_TRUE(equal(y.cpu(), full({2}, 3.0)));
    EXPECT_TRUE(equal(alone.all_gather(x)[0].cpu(), full({2}, 3.0)));
  });
}

TEST(WrongUse, AModuleWithoutParameters) {
  on_ranks(2, [](ProcessGroup& group) {
    EXPECT_EQ(error_of([&] {
                DistributedDataParallel<nn::Sequential>(nn::Sequential(nn::ReLU()),
                                                        ddp_options(group));
              }),
              "DistributedDataParallel is not needed when a module doesn't have any parameter that "
              "requires a gradient.");
    expect_usable(group);
  });
}

TEST(WrongUse, AModuleThatOneRankCannotWrap) {
  on_ranks(2, [](ProcessGroup& group) {
    const nn::Linear net(2, 1);
    if (group.rank() == 1) net->requires_grad_(false);
    const std::string text =
        error_of([&] { DistributedDataParallel<nn::Linear>(net, ddp_options(group)); });
    const std::string others = "DistributedDataParallel: rank 1 failed: ";
    EXPECT_EQ(text.starts_with(others), group.rank() != 1) << text;
    EXPECT_TRUE(contains(text, "any parameter that requires a gradient.")) << text;
    const std::string sharded = error_of([&] {
      auto options = nn::parallel::FullyShardOptions().process_group(group);
      if (group.rank() == 1) options.units({nullptr});
      nn::parallel::fully_shard(net, options);
    });
    EXPECT_TRUE(contains(sharded, "fully_shard: unit 0 is a null pointer")) << sharded;
    expect_usable(group);
  });
}

TEST(WrongUse, BackwardOnSomeRanksAlone) {
  on_ranks(3, [](ProcessGroup& group) {
    const ProcessGroup own = impatient(group);
    const nn::Linear net(2, 1);
    const DistributedDataParallel<nn::Linear> ddp(net, ddp_options(own));
    const std::string text = error_of([&] {
      if (group.rank() == 1) return impatient(own).barrier();
      ddp(ones({1, 2})).sum().backward();
    });
    expect_names(text, group.rank() == 1 ? "split at " : "all_reduce(mean) of float32 [");
  });
}

TEST(WrongUse, AForwardOnSomeRanksAlone) {
  on_ranks(4, [](ProcessGroup& group) {
    const ProcessGroup own = impatient(group);
    const nn::Sequential net(nn::Linear(2, 2), nn::BatchNorm1d(2));  // has buffers
    const DistributedDataParallel<nn::Sequential> ddp(net, ddp_options(own));
    const std::string text = error_of([&] {
      if (group.rank() % 2 == 1) return own.barrier();
      ddp(ones({2, 2}));
    });
    expect_names(text,
                 group.rank() % 2 == 1 ? "barrier at " : "broadcast from rank 0 of float32 [2]");
  });
}

TEST(WrongUse, AnErrorOfOneRankInBackward) {
  on_ranks(2, [](ProcessGroup& group) {
    const ProcessGroup own = impatient(group), other = impatient(group);
    const nn::Linear net(2, 1);
    const DistributedDataParallel<nn::Linear> ddp(net, ddp_options(own));
    const Tensor loss = ddp(ones({1, 2})).sum();
    loss.register_hook([&](const Tensor& grad) {
      if (group.rank() == 1) throw std::runtime_error("no memory");
      return grad;
    });
    if (group.rank() == 1) {
      EXPECT_EQ(error_of<std::runtime_error>([&] { loss.backward(); }), "no memory");
      // It says so, and goes on.
      expect_names(error_of([&] { other.barrier(); }), "barrier at ");
    } else {
      expect_names(error_of([&] { loss.backward(); }), "all_reduce(mean) of float32 [");
    }
  });
}

TEST(WrongUse, AModuleThatIsWrappedTwice) {
  on_ranks(2, [](ProcessGroup& group) {
    const nn::Linear net(2, 1);
    const DistributedDataParallel<nn::Linear> first(net, ddp_options(group));
    const DistributedDataParallel<nn::Linear> second(net, ddp_options(group));
    first(full({1, 2}, group.rank(), kFloat)).sum().backward();
    const double mean = (group.size() - 1) / 2.0;
    EXPECT_TRUE(allclose(net->weight.grad(), full({1, 2}, mean, kFloat)));
  });
}

}  // namespace
}  // namespace tern::testing
