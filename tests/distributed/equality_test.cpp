#include <cmath>

#include <gtest/gtest.h>

#include "distributed/training.h"
#include "golden/golden.h"

// 100 steps of DistributedDataParallel beside those of one process, and beside PyTorch's:
// golden/distributed/ddp.py wrote the numbers.

namespace tern::testing {
namespace {

constexpr std::uint64_t kSteps = 100;

void expect_like_one_process(int size, const Options& given) {
  on_ranks(size, [&](ProcessGroup& group) {
    const Options options = Options(given).process_group(group);
    const Net net = make_net(static_cast<std::uint64_t>(100 * group.rank()));
    const Net alone = make_net(0);
    DistributedDataParallel<Net> ddp(net, options);
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(1e-2));
    optim::Adam reference(alone->parameters(), optim::AdamOptions(1e-2));
    double gradients = 0, parameters = 0;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const Tensor x = numbers({16, 6}, 1000 + step), y = numbers({16, 3}, 2000 + step);
      optimizer.zero_grad();
      reference.zero_grad();
      nn::functional::mse_loss(ddp(part_of(x, group)), part_of(y, group)).backward();
      nn::functional::mse_loss(alone(x), y).backward();
      optimizer.step();
      reference.step();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        const Tensor a = net->parameters()[i], b = alone->parameters()[i];
        gradients = std::max(gradients, largest_difference(a.grad(), b.grad()));
        parameters = std::max(parameters, largest_difference(a, b));
      }
    }
    EXPECT_LT(gradients, 1e-12);
    EXPECT_LT(parameters, 1e-12);
  });
}

TEST(DistributedEquality, OfOneProcessWithTheWholeBatch) {
  for (const int size : {1, 2, 4}) {
    expect_like_one_process(size, Options());
    expect_like_one_process(size, Options().bucket_cap_mb(1e-9));  // a bucket for each parameter
  }
  expect_like_one_process(4, Options().bucket_cap_mb(5e-4));
  expect_like_one_process(4, Options().find_unused_parameters(true));
}

TEST(DistributedEquality, OfTwoRanksHasTheBitsOfOneProcessThatAccumulates) {
  on_ranks(2, [](ProcessGroup& all) {
    const ProcessGroup group = all.split(all.rank() / 2);
    ASSERT_EQ(group.size(), 2);
    const Net net = make_net(0, kFloat);
    const Net alone = make_net(0, kFloat);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    optim::SGD reference(alone->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const Tensor x = numbers({8, 6}, step, kFloat);
      optimizer.zero_grad();
      reference.zero_grad();
      ddp(part_of(x, group)).square().mean().backward();
      for (const Tensor& half : x.chunk(2, 0)) (alone(half).square().mean() / 2).backward();
      optimizer.step();
      reference.step();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        ASSERT_TRUE(equal(net->parameters()[i], alone->parameters()[i]));
      }
    }
  });
}

// The losses may differ from PyTorch's as much as those of PyTorch's ranks from its one process,
// which is a few roundings of float32.
void expect_like_pytorch(int size) {
  const auto& golden = testing::golden("distributed/ddp");
  const Tensor losses = golden_tensor(golden[std::to_string(size)]["losses"], kFloat);
  const Tensor first = golden_tensor(golden[std::to_string(size)]["first_step"], kFloat);
  const double own = largest_difference(golden_tensor(golden["2"]["losses"], kFloat),
                                        golden_tensor(golden["1"]["losses"], kFloat));
  on_ranks(size, [&](ProcessGroup& all) {
    const ProcessGroup group = all.split(all.rank() / size);
    if (group.size() != size) return;
    const Net net = make_net(0, kFloat);
    DistributedDataParallel<Net> ddp(net, ddp_options(group));
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.05).momentum(0.9));
    double difference = 0;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const Tensor x = part_of(numbers({8, 6}, 1000 + step, kFloat), group);
      optimizer.zero_grad();
      const Tensor loss = nn::functional::mse_loss(ddp(x), x.narrow(1, 0, 3));
      loss.backward();
      optimizer.step();
      const Tensor mean = loss.detach().clone();
      group.all_reduce(mean, ReduceOp::kMean);
      const auto i = static_cast<std::int64_t>(step);
      difference = std::max(difference, std::abs((mean - losses[i]).item<double>()));
      if (step > 0) continue;
      std::vector<Tensor> flat;
      for (const Tensor& parameter : net->parameters()) flat.push_back(parameter.detach().view(-1));
      EXPECT_LT(largest_difference(cat(flat), first), 1e-6);
    }
    EXPECT_LE(difference, own);
  });
}

TEST(DistributedEquality, OfPyTorchsRanks) {
  for (const int size : {1, 2, 4}) expect_like_pytorch(size);
}

}  // namespace
}  // namespace tern::testing
