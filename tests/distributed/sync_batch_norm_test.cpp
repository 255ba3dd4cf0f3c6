#include <gtest/gtest.h>

#include <tern/core/autograd/gradcheck.h>

#include "distributed/training.h"
#include "printed.h"

// SyncBatchNorm: n ranks with a part of the batch each are one BatchNorm of all of it.

namespace tern::testing {
namespace {

/// The elements of all ranks' tensors, as every rank's loss depends on them: the gradient of a sum
/// over the ranks is that of each summand.
struct SumOfRanks : autograd::Function<SumOfRanks> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x);
  static autograd::variable_list backward(autograd::AutogradContext*, autograd::variable_list g);
};
/// The same tensor on all ranks: its gradient is the sum over the ranks.
struct OnAllRanks : autograd::Function<OnAllRanks> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static autograd::variable_list backward(autograd::AutogradContext*, autograd::variable_list g) {
    return {SumOfRanks::apply(g[0])};
  }
};
thread_local const ProcessGroup* ranks = nullptr;

Tensor SumOfRanks::forward(autograd::AutogradContext* /*context*/, const Tensor& x) {
  Tensor sum = x.clone(MemoryFormat::Contiguous);
  ranks->all_reduce(sum);
  return sum;
}
autograd::variable_list SumOfRanks::backward(autograd::AutogradContext* /*context*/,
                                             autograd::variable_list g) {
  return {OnAllRanks::apply(g[0])};
}

/// The rows of a batch that this rank has: 2, rank 1 none, and one rank all others.
Tensor uneven_part_of(const Tensor& batch, const ProcessGroup& group) {
  const int size = group.size(), greedy = size == 2 ? 0 : size - 1;
  const auto rows_of = [&](int rank) {
    if (rank == 1) return std::int64_t{0};
    return rank == greedy ? batch.size(0) - std::int64_t{2} * (size - 2) : std::int64_t{2};
  };
  std::int64_t begin = 0;
  for (int rank = 0; rank < group.rank(); ++rank) begin += rows_of(rank);
  return batch.narrow(0, begin, rows_of(group.rank()));
}

nn::BatchNormOptions options_of(std::int64_t channels) {
  return nn::BatchNormOptions(channels).dtype(kDouble);
}

void randomize(const nn::Module& norm) {
  const NoGradGuard no_grad;
  std::uint64_t seed = 50;
  for (const Tensor& parameter : norm.parameters()) {
    Tensor(parameter).copy_(numbers(parameter.sizes(), seed++));
  }
}

void expect_near(const Tensor& a, const Tensor& b, double bound = 1e-12) {
  ASSERT_EQ(a.sizes(), b.sizes());
  if (a.numel() == 0) return;
  EXPECT_LT(largest_difference(a.to(kDouble), b.to(kDouble)), bound);
}

/// Compares 3 steps with those of one BatchNorm.
template <class Norm, class Part>
void expect_like_whole_batch(const ProcessGroup& group, IntArrayRef sizes,
                             const nn::BatchNormOptions& options, const Part& part,
                             MemoryFormat format = MemoryFormat::Contiguous) {
  nn::SyncBatchNorm sync(options, group);
  Norm alone(options);
  randomize(*sync);
  randomize(*alone);
  const bool is_double = options.dtype() == kDouble;
  const double bound = is_double ? 1e-12 : 2e-5;
  for (std::uint64_t step = 0; step < 3; ++step) {
    const Tensor whole = (numbers(sizes, step) * 2 + 3).to(*options.dtype());
    const Tensor g = numbers(sizes, 10 + step).to(*options.dtype());
    sync->zero_grad();
    alone->zero_grad();
    const Tensor x =
        part(whole).clone(MemoryFormat::Contiguous).contiguous(format).requires_grad_();
    const Tensor all = whole.clone().contiguous(format).requires_grad_();
    const Tensor out = sync(x), expected = alone(all);
    expect_near(out, part(expected), bound);
    out.backward(part(g));
    expected.backward(g);
    expect_near(x.grad(), part(all.grad()), bound);
    for (std::size_t i = 0; i < alone->parameters().size(); ++i) {
      const Tensor sum = sync->parameters()[i].grad().clone();  // this rank's part
      group.all_reduce(sum);
      expect_near(sum, alone->parameters()[i].grad(), 10 * bound);
    }
    for (std::size_t i = 0; i < alone->buffers().size(); ++i) {
      expect_near(sync->buffers()[i], alone->buffers()[i], bound);
      for (const Tensor& other : group.all_gather(sync->buffers()[i])) {
        EXPECT_TRUE(equal(other, sync->buffers()[i]));
      }
    }
  }
  sync->eval();
  alone->eval();
  const Tensor x = numbers(sizes, 99).to(*options.dtype());
  if (group.rank() == 0) expect_near(sync(x), alone(x), bound);
}

TEST(SyncBatchNorm, IsBatchNormOfTheWholeBatch) {
  on_ranks(3, [](ProcessGroup& group) {
    const std::int64_t rows = std::int64_t{4} * group.size();
    const auto even = [&](const Tensor& t) { return part_of(t, group); };
    const auto uneven = [&](const Tensor& t) { return uneven_part_of(t, group); };
    using nn::BatchNorm1d;
    using nn::BatchNorm2d;
    expect_like_whole_batch<BatchNorm1d>(group, {rows, 5}, options_of(5), even);
    expect_like_whole_batch<BatchNorm2d>(group, {rows, 3, 2, 3}, options_of(3), uneven);
    expect_like_whole_batch<BatchNorm2d>(group, {rows, 3, 2, 3}, options_of(3), even,
                                         MemoryFormat::ChannelsLast);
    expect_like_whole_batch<BatchNorm1d>(group, {rows, 2}, options_of(2).momentum(std::nullopt),
                                         uneven);
    expect_like_whole_batch<BatchNorm1d>(group, {rows, 2}, options_of(2).affine(false), uneven);
    expect_like_whole_batch<BatchNorm1d>(group, {rows, 2}, options_of(2).bias(false), uneven);
    expect_like_whole_batch<BatchNorm1d>(group, {rows, 2}, options_of(2).track_running_stats(false),
                                         uneven);
    expect_like_whole_batch<nn::BatchNorm3d>(group, {rows, 2, 2, 1, 3}, options_of(2).dtype(kFloat),
                                             uneven);
  });
}

TEST(SyncBatchNorm, HasGradientsOfBothOrders) {
  on_ranks(2, [](ProcessGroup& group) {
    ranks = &group;
    nn::SyncBatchNorm norm(options_of(2), group);
    const std::int64_t rows = std::int64_t{2} * group.size();
    const auto loss = [&](const std::vector<Tensor>& in) {
      norm->replace_parameter("weight", in[1].detach().clone());
      const Tensor x = uneven_part_of(OnAllRanks::apply(in[0]), group);
      const Tensor out = nn::detail::call(*norm, x).pow(3);
      return std::vector<Tensor>{SumOfRanks::apply(out.sum({0, 2}))};
    };
    const std::vector<Tensor> inputs = {numbers({rows, 2, 2}, 1).requires_grad_(), numbers({2}, 2)};
    EXPECT_TRUE(autograd::gradcheck(loss, inputs));
    EXPECT_TRUE(autograd::gradgradcheck(loss, inputs));
    ranks = nullptr;
  });
}

TEST(SyncBatchNorm, OfOneRankHasTheBitsOfBatchNorm) {
  nn::SyncBatchNorm sync(4, ProcessGroup());
  nn::BatchNorm2d alone(4);
  const Tensor x = numbers({3, 4, 5, 6}, 1, kFloat);
  const Tensor a = x.clone().requires_grad_(), b = x.clone().requires_grad_();
  sync(a).pow(2).sum().backward();
  alone(b).pow(2).sum().backward();
  EXPECT_TRUE(equal(a.grad(), b.grad()));
  EXPECT_TRUE(equal(sync->running_var, alone->running_var));
  EXPECT_EQ(printed(*sync),
            "tern::nn::SyncBatchNorm(4, eps=1e-05, momentum=0.1, affine=true, "
            "track_running_stats=true)");
}

TEST(SyncBatchNorm, RefusesTooFewValuesOnAllRanks) {
  on_ranks(2, [](ProcessGroup& group) {
    nn::SyncBatchNorm norm(3, group);
    const std::string text = error_of<ShapeError>([&] {
      norm(ones({group.rank() == 0 ? 1 : 0, 3}));
    });
    EXPECT_TRUE(contains(text, "Expected more than 1 value per channel when training")) << text;
    EXPECT_EQ(norm->num_batches_tracked.item<int>(), 0);
    // One value on one rank is enough if others have more.
    norm(numbers({group.rank() == 0 ? 1 : 2, 3}, 1, kFloat));
    EXPECT_EQ(error_of<ShapeError>([&] { norm(ones({3})); }),
              "expected at least 2D input (got 1D input)\n  in module SyncBatchNorm");
  });
}

struct ConvNetImpl : nn::Cloneable<ConvNetImpl> {
  ConvNetImpl() { reset(); }
  void reset() override {
    conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(2, 3, 3).dtype(kDouble)));
    norm = register_module("norm", nn::BatchNorm2d(options_of(3)));
    head = register_module("head", nn::Linear(nn::LinearOptions(3, 2).dtype(kDouble)));
  }
  Tensor forward(const Tensor& x) { return head(relu(norm(conv(x))).mean({2, 3})); }
  nn::Conv2d conv{nullptr};
  nn::BatchNorm2d norm{nullptr};
  nn::Linear head{nullptr};
};
TERN_MODULE(ConvNet);

TEST(SyncBatchNorm, MakesDistributedTrainingThatOfOneProcess) {
  on_ranks(4, [](ProcessGroup& group) {
    ConvNet net, alone;
    randomize(*net);
    randomize(*alone);
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    optim::SGD reference(alone->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    const Tensor weight = net->norm->weight;
    EXPECT_EQ(nn::convert_sync_batchnorm(net, group), 1U);
    EXPECT_TRUE(net->norm->weight.is_same(weight));
    EXPECT_TRUE(contains(printed(*net), "(norm): tern::nn::SyncBatchNorm(3, "));
    DistributedDataParallel<ConvNet> ddp(net, ddp_options(group).bucket_cap_mb(1e-9));
    for (std::uint64_t step = 0; step < 10; ++step) {
      const Tensor x = numbers({std::int64_t{2} * group.size(), 2, 5, 5}, step);
      optimizer.zero_grad();
      reference.zero_grad();
      ddp(part_of(x, group)).square().mean().backward();
      alone(x).square().mean().backward();
      optimizer.step();
      reference.step();
      for (std::size_t i = 0; i < alone->parameters().size(); ++i) {
        expect_near(net->parameters()[i], alone->parameters()[i], 1e-11);
      }
      for (std::size_t i = 0; i < alone->buffers().size(); ++i) {
        expect_near(net->buffers()[i], alone->buffers()[i], 1e-11);
      }
    }
    // A copy has the same ranks.
    const auto copy = std::dynamic_pointer_cast<ConvNetImpl>(net->clone());
    const Tensor x = numbers({std::int64_t{2} * group.size(), 2, 5, 5}, 77);
    expect_near(copy->forward(part_of(x, group)), part_of(alone(x), group), 1e-11);
  });
}

TEST(SyncBatchNorm, TakesHalfPrecisionAndDevices) {
  on_ranks(2, [](ProcessGroup& group) {
    nn::SyncBatchNorm norm(3, group);
    nn::BatchNorm1d alone(3);
    const Tensor x = numbers({std::int64_t{4} * group.size(), 3}, 1, kFloat);
    const Tensor narrow = norm(part_of(x, group).to(kBFloat16));
    EXPECT_EQ(narrow.dtype(), kBFloat16);
    EXPECT_LT(largest_difference(narrow.to(kFloat), part_of(alone(x), group)), 0.03);
    norm->to(device_of(group, kCUDA));
    const Tensor part = part_of(x, group).to(device_of(group, kCUDA)).requires_grad_();
    const Tensor out = norm(part);
    EXPECT_LT(largest_difference(out.cpu(), part_of(alone(x), group)), 1e-5);
    out.pow(3).sum().backward();
    const Tensor all = x.clone().requires_grad_();
    alone(all).pow(3).sum().backward();
    EXPECT_LT(largest_difference(part.grad().cpu(), part_of(all.grad(), group)), 1e-4);
  });
}

}  // namespace
}  // namespace tern::testing
