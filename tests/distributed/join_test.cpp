#include <gtest/gtest.h>

#include "distributed/training.h"

// join(): ranks with different numbers of batches. Also reduce_dtype.

namespace tern::testing {
namespace {

using nn::parallel::JoinOptions;

/// Rank r makes steps_of(r) steps: all others 3, the last none, rank 0 five.
int steps_of(int rank, int size) {
  if (rank == 0) return 5;
  return rank + 1 == size ? 0 : 3;
}

Tensor batch_of(int rank, int step) {
  return numbers({4, 6}, static_cast<std::uint64_t>(100 * rank + step));
}

void expect_join(const JoinOptions& join, const Options& given) {
  on_ranks(3, [&](ProcessGroup& group) {
    const int size = group.size();
    const Net net = make_net(0), alone = make_net(0);
    DistributedDataParallel<Net> ddp(net, Options(given).process_group(group));
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1));
    optim::SGD reference(alone->parameters(), optim::SGDOptions(0.1));
    int steps = 0;
    ddp->join(
        [&] {
          for (; steps < steps_of(group.rank(), size); ++steps) {
            optimizer.zero_grad();
            {
              const auto local = ddp->no_sync();  // a part of the batch
              ddp(batch_of(group.rank(), steps)).square().mean().backward();
            }
            ddp(batch_of(group.rank(), steps + 50)).square().mean().backward();
            optimizer.step();
          }
        },
        join);
    EXPECT_EQ(steps, steps_of(group.rank(), size));
    for (int step = 0; step < 5; ++step) {
      reference.zero_grad();
      int training = 0;
      for (int rank = 0; rank < size; ++rank) training += step < steps_of(rank, size) ? 1 : 0;
      const int divisor = join.divide_by_initial_world_size() ? size : training;
      for (int rank = 0; rank < size; ++rank) {
        if (step >= steps_of(rank, size)) continue;
        for (const int i : {step, step + 50}) {
          (alone(batch_of(rank, i)).square().mean() / divisor).backward();
        }
      }
      reference.step();
    }
    for (std::size_t i = 0; i < net->parameters().size(); ++i) {
      EXPECT_LT(largest_difference(net->parameters()[i], alone->parameters()[i]), 1e-12);
    }
    // All train on.
    ddp(batch_of(group.rank(), 9)).sum().backward();
  });
}

TEST(Join, EndsWithTheSameParametersOnAllRanks) {
  for (const bool divides : {true, false}) {
    const auto join = JoinOptions().divide_by_initial_world_size(divides);
    expect_join(join, Options());
    expect_join(join, Options().bucket_cap_mb(1e-9));
    expect_join(join, Options().find_unused_parameters(true));
  }
}

TEST(Join, SharesBuffersOfARankThatTrains) {
  on_ranks(2, [](ProcessGroup& group) {
    const nn::Sequential net(nn::Linear(3, 4), nn::BatchNorm1d(4));
    DistributedDataParallel<nn::Sequential> ddp(net, ddp_options(group));
    // Rank 0 ends first: the buffers of the others count.
    ddp->join([&] {
      for (int step = 0; step < 2 + group.rank(); ++step) {
        ddp(numbers({5, 3}, static_cast<std::uint64_t>(step), kFloat)).square().sum().backward();
      }
    });
    EXPECT_EQ(net->named_buffers()["1.num_batches_tracked"].item<int>(), 1 + group.size());
    for (const Tensor& buffer : net->buffers()) {
      for (const Tensor& other : group.all_gather(buffer)) EXPECT_TRUE(equal(other, buffer));
    }
  });
}

TEST(Join, CountsUnusedParametersOfTheRanksThatTrain) {
  on_ranks(3, [](ProcessGroup& group) {
    const bool is_short = group.rank() == 0;
    for (const bool finds : {true, false}) {
      const Net net = make_net(0);
      DistributedDataParallel<Net> ddp(net, ddp_options(group).find_unused_parameters(finds));
      const auto train = [&] {
        for (int step = 0; step < (is_short ? 1 : 2); ++step) {
          net->zero_grad();
          net->uses_spare = step == 0;
          ddp(batch_of(0, step)).sum().backward();
          EXPECT_EQ(net->spare->bias.grad().defined(), net->uses_spare);
        }
      };
      if (finds) {
        ddp->join(train);
        continue;
      }
      const std::string text = error_of([&] { ddp->join(train); });
      EXPECT_TRUE(contains(text, "; rank 1 has none for 'spare.weight', 'spare.bias'")) << text;
      EXPECT_FALSE(contains(text, "rank 0")) << text;
    }
  });
}

TEST(Join, IsAnErrorOnAllRanksWhereItCannotGoOn) {
  on_ranks(2, [](ProcessGroup& group) {
    const auto error = [&](DistributedDataParallel<Net>& ddp, const JoinOptions& options) {
      return error_of([&] {
        ddp->join(
            [&] {
              for (int step = 0; step <= group.rank(); ++step) {
                ddp(batch_of(0, step)).sum().backward();
              }
            },
            options);
      });
    };
    const Net net = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    const std::string text = error(ddp, JoinOptions().throw_on_early_termination(true));
    EXPECT_TRUE(
        contains(text, tern::detail::text_of("DistributedDataParallel: 1 of ", group.size(),
                                             " ranks have no more batches; rank 1 goes on")))
        << text;
    ddp->join([] {});  // of no steps
    EXPECT_EQ(error_of([&] { ddp->join([&] { ddp->join([] {}); }); }),
              "DistributedDataParallel: join() inside of join()");

    const nn::Sequential norms(nn::Linear(3, 4), nn::BatchNorm1d(4));
    nn::convert_sync_batchnorm(norms, group);
    DistributedDataParallel<nn::Sequential> synchronized(norms, ddp_options(group));
    EXPECT_EQ(error_of([&] { synchronized->join([] {}); }),
              "DistributedDataParallel: join() needs throw_on_early_termination for a module with "
              "a SyncBatchNorm ('1')");
    EXPECT_TRUE(contains(error_of([&] {
                           synchronized->join(
                               [&] {
                                 for (int step = 0; step <= group.rank(); ++step) {
                                   synchronized(ones({2, 3})).sum().backward();
                                 }
                               },
                               JoinOptions().throw_on_early_termination(true));
                         }),
                         "1 of "));
  });
}

TEST(ReduceDtype, RoundsTheSumsButNotTheGradients) {
  on_ranks(2, [](ProcessGroup& group) {
    for (const ScalarType dtype : {kBFloat16, kHalf}) {
      const Net net = make_net(0, kFloat), exact = make_net(0, kFloat);
      DistributedDataParallel<Net> ddp(net,
                                       ddp_options(group).reduce_dtype(dtype).bucket_cap_mb(5e-4));
      DistributedDataParallel<Net> reference(exact, ddp_options(group));
      for (std::uint64_t step = 0; step < 3; ++step) {
        const Tensor x =
            numbers({4, 6}, step + 10 * static_cast<std::uint64_t>(group.rank()), kFloat);
        net->zero_grad();
        exact->zero_grad();
        ddp(x).square().sum().backward();
        reference(x).square().sum().backward();
        for (std::size_t i = 0; i < net->parameters().size(); ++i) {
          const Tensor grad = net->parameters()[i].grad(), whole = exact->parameters()[i].grad();
          EXPECT_EQ(grad.dtype(), kFloat);
          EXPECT_TRUE(equal(grad, grad.to(dtype).to(kFloat)));  // as it came
          EXPECT_FALSE(equal(grad, whole));
          EXPECT_LT(largest_difference(grad, whole), 0.02 * whole.abs().max().item<double>());
          for (const Tensor& other : group.all_gather(grad)) EXPECT_TRUE(equal(other, grad));
        }
      }
    }
    // The mean is taken before the sum: large gradients do not overflow.
    nn::Linear net(1, 1);
    DistributedDataParallel<nn::Linear> ddp(net, ddp_options(group).reduce_dtype(kHalf));
    ddp(full({1, 1}, 60000.0)).sum().backward();
    EXPECT_EQ(net->weight.grad().item<float>(), 60000.0F);
    const nn::Linear wide(2, 2);
    EXPECT_EQ(error_of([&] {
                DistributedDataParallel<nn::Linear> bad(wide,
                                                        ddp_options(group).reduce_dtype(kInt));
              }),
              "DistributedDataParallel: reduce_dtype must be bfloat16 or float16, got Int");
  });
}

}  // namespace
}  // namespace tern::testing
