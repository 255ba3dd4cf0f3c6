#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/train/grad_scaler.h>

#include "distributed/training.h"

// What a training program uses beside DistributedDataParallel: random numbers, samplers, clipping
// and scaling of gradients.

namespace tern::testing {
namespace {

namespace samplers = data::samplers;

TEST(RanksDraw, NumbersOfTheirOwn) {
  on_ranks(3, [](ProcessGroup& group) {
    const auto masks = [&] {
      // The same weights everywhere, and other draws on each rank.
      manual_seed(3);
      const nn::Linear net(4, 64);
      manual_seed(7 + static_cast<std::uint64_t>(group.rank()));
      const nn::Dropout dropout(0.5);
      const Tensor mask = dropout(net(ones({2, 4})).mul(0).add(1));
      const std::vector<Tensor> weights = group.all_gather(net->weight.detach());
      for (const Tensor& other : weights) EXPECT_TRUE(equal(other, weights[0]));
      return group.all_gather(mask);
    };
    const std::vector<Tensor> first = masks(), again = masks();
    for (std::size_t a = 0; a < first.size(); ++a) {
      EXPECT_TRUE(equal(first[a], again[a]));
      for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(equal(first[a], first[b]));
    }
    EXPECT_EQ(initial_seed(), 7U + static_cast<std::uint64_t>(group.rank()));
  });
}

TEST(RanksDraw, FromForksOfTheCallersGenerator) {
  TERN_NEEDS_THREADS();
  const auto draws = [] {
    manual_seed(5);
    Tensor all;
    distributed::run(3, [&](ProcessGroup& group) {
      const Tensor drawn = stack(group.all_gather(rand({4})));
      if (group.rank() == 0) all = drawn;
      manual_seed(1);  // of this rank alone
    });
    return all;
  };
  const Tensor all = draws();
  EXPECT_TRUE(equal(all, draws()));
  EXPECT_FALSE(equal(all[0], all[1]));
  EXPECT_EQ(initial_seed(), 5U);
}

/// Numbers, whose examples are rows [x, y].
struct Rows : data::Dataset<Rows> {
  data::Example<> get(std::size_t i) override {
    const Tensor row = numbers({2}, i);
    return {row[0].reshape({1}), row[1].reshape({1})};
  }
  std::optional<std::size_t> size() const override { return 11; }
};

/// The examples of all ranks in an epoch, as a sampler of one process gives them.
std::vector<std::size_t> order_of(std::size_t epoch, int size, bool drop_last) {
  samplers::PythonDistributedSampler sampler(11, 1, 0, /*shuffle=*/true, /*seed=*/4);
  sampler.set_epoch(epoch);
  sampler.reset();
  std::vector<std::size_t> order = *sampler.next(11);
  const auto n = static_cast<std::size_t>(size);
  const std::size_t total = drop_last ? 11 / n * n : (11 + n - 1) / n * n;
  for (std::size_t i = 0; order.size() < total; ++i) order.push_back(order[i]);
  order.resize(total);
  return order;
}

TEST(DistributedSampler, GivesEachRankItsPartOfEveryEpoch) {
  for (const bool drop_last : {false, true}) {
    on_ranks(4, [&](ProcessGroup& group) {
      const int n = group.size();
      const auto loader = data::make_data_loader(
          Rows().map(data::transforms::Stack<>()),
          samplers::PythonDistributedSampler(11, n, group.rank(), true, 4, drop_last),
          data::DataLoaderOptions(1));
      const nn::Linear net(nn::LinearOptions(1, 1).dtype(kDouble));
      const nn::Linear alone(nn::LinearOptions(1, 1).dtype(kDouble));
      DistributedDataParallel<nn::Linear> ddp(net, ddp_options(group));
      {
        const NoGradGuard no_grad;
        alone->weight.copy_(net->weight);
        alone->bias.copy_(net->bias);
      }
      optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.05));
      optim::SGD reference(alone->parameters(), optim::SGDOptions(0.05));
      const auto step = [](auto& model, optim::SGD& by, const Tensor& x, const Tensor& y) {
        by.zero_grad();
        nn::functional::mse_loss(model(x), y).backward();
        by.step();
      };
      for (std::size_t epoch = 0; epoch < 3; ++epoch) {
        loader->sampler().set_epoch(epoch);
        for (const auto& batch : *loader) step(ddp, optimizer, batch.data, batch.target);
        // A step of all ranks takes the next examples of the epoch's order.
        const std::vector<std::size_t> order = order_of(epoch, n, drop_last);
        for (std::size_t i = 0; i < order.size(); i += static_cast<std::size_t>(n)) {
          std::vector<Tensor> x, y;
          for (int rank = 0; rank < n; ++rank) {
            const auto example = Rows().get(order[i + static_cast<std::size_t>(rank)]);
            x.push_back(example.data);
            y.push_back(example.target);
          }
          step(alone, reference, stack(x), stack(y));
        }
        EXPECT_LT(largest_difference(net->weight, alone->weight), 1e-12);
        EXPECT_LT(largest_difference(net->bias, alone->bias), 1e-12);
      }
    });
  }
}

TEST(DistributedSampler, GoesOnInTheMiddleOfAnEpoch) {
  on_ranks(2, [](ProcessGroup& group) {
    const auto make = [&] {
      return data::make_data_loader(
          Rows().map(data::transforms::Stack<>()),
          samplers::PythonDistributedSampler(11, group.size(), group.rank(), true, 4),
          data::DataLoaderOptions(1));
    };
    const auto loader = make(), resumed = make();
    loader->sampler().set_epoch(2);
    auto it = loader->begin();
    ++it;
    const State state = loader->state_dict();
    resumed->sampler().set_epoch(2);
    resumed->load_state_dict(state);
    auto other = resumed->begin();
    for (++it; it != loader->end(); ++it, ++other) {
      ASSERT_NE(other, resumed->end());
      EXPECT_TRUE(equal(it->data, other->data));
    }
    EXPECT_EQ(other, resumed->end());
  });
}

TEST(ClipGradNorm, NeedsNoCommunication) {
  on_ranks(4, [](ProcessGroup& group) {
    const Net net = make_net(0), alone = make_net(0);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    const Tensor x = numbers({8, 6}, 1);
    ddp(part_of(x, group)).square().mean().mul(100).backward();
    alone(x).square().mean().mul(100).backward();
    const double norm = nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    EXPECT_NEAR(norm, nn::utils::clip_grad_norm_(alone->parameters(), 1.0), 1e-11);
    EXPECT_GT(norm, 1);
    for (const Tensor& other : group.all_gather(full({1}, norm, kDouble))) {
      EXPECT_EQ(other.item<double>(), norm);
    }
    for (std::size_t i = 0; i < net->parameters().size(); ++i) {
      const Tensor grad = net->parameters()[i].grad();
      EXPECT_LT(largest_difference(grad, alone->parameters()[i].grad()), 1e-12);
      for (const Tensor& other : group.all_gather(grad)) EXPECT_TRUE(equal(other, grad));
    }
  });
}

TEST(GradScaler, SkipsTheStepOnAllRanksWhenOneHasAnInfinity) {
  on_ranks(3, [](ProcessGroup& group) {
    for (const bool is_narrow : {false, true}) {
      const Net net = make_net(0, kFloat);
      auto options = ddp_options(group);
      if (is_narrow) options.reduce_dtype(kHalf);
      DistributedDataParallel<Net> ddp(net, options);
      optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1));
      amp::GradScaler scaler(kCPU, amp::GradScalerOptions().init_scale(16));
      const auto step = [&](double factor) {
        optimizer.zero_grad();
        scaler.scale(ddp(numbers({4, 6}, 1, kFloat)).square().mean() * factor).backward();
        scaler.step(optimizer);
        scaler.update();
      };
      const Tensor before = net->head->weight.detach().clone();
      const bool is_bad = group.rank() == 1;
      step(is_bad ? std::numeric_limits<double>::infinity() : 1);
      EXPECT_TRUE(equal(net->head->weight, before));
      EXPECT_EQ(scaler.get_scale(), 8);
      step(is_bad ? std::numeric_limits<double>::quiet_NaN() : 1);
      EXPECT_TRUE(equal(net->head->weight, before));
      EXPECT_EQ(scaler.get_scale(), 4);
      step(1);
      EXPECT_FALSE(equal(net->head->weight, before));
      EXPECT_EQ(scaler.get_scale(), 4);
      for (const Tensor& other : group.all_gather(net->head->weight.detach())) {
        EXPECT_TRUE(equal(other, net->head->weight));
      }
    }
  });
}

}  // namespace
}  // namespace tern::testing
