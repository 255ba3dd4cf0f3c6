#include <limits>

#include <gtest/gtest.h>

#include "distributed/ranks.h"

// The values of every collective and dtype.

namespace tern::testing {
namespace {

constexpr ScalarType kDtypes[] = {kFloat, kDouble, kHalf, kBFloat16, kLong,
                                  kInt,   kShort,  kChar, kByte,     kBool};

/// What rank `rank` brings: small integers, which are exact in every dtype.
Tensor brought(int rank, std::int64_t count, ScalarType dtype) {
  return ((arange(count, kLong) * (rank + 1) + rank) % 7).to(dtype);
}

/// What all ranks bring, in one tensor.
Tensor all_brought(int size, std::int64_t count, ScalarType dtype) {
  std::vector<Tensor> rows;
  for (int rank = 0; rank < size; ++rank) rows.push_back(brought(rank, count, dtype));
  return stack(rows);
}

Tensor expected(ReduceOp op, const Tensor& rows) {
  const ScalarType dtype = rows.dtype();
  if (op == ReduceOp::kMax) return rows.to(kDouble).amax(0).to(dtype);
  if (op == ReduceOp::kMin) return rows.to(kDouble).amin(0).to(dtype);
  const Tensor sum = rows.to(kDouble).sum(0);
  return (op == ReduceOp::kMean ? sum / rows.size(0) : sum).to(dtype);
}

void expect_equal(const Tensor& got, const Tensor& want, double tolerance = 0) {
  ASSERT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(allclose(got.cpu().to(kDouble), want.cpu().to(kDouble), tolerance, tolerance))
      << got << "\nis not\n"
      << want;
}

class Collectives : public ::testing::TestWithParam<std::tuple<ScalarType, DeviceType>> {
 public:
  static ScalarType dtype() { return std::get<0>(GetParam()); }
  static Device device(const ProcessGroup& group) {
    return device_of(group, std::get<1>(GetParam()));
  }
  /// What this rank brings, on its device.
  static Tensor mine(const ProcessGroup& group, std::int64_t count) {
    return brought(group.rank(), count, dtype()).to(device(group));
  }
  static Tensor empty_result(const ProcessGroup& group, IntArrayRef sizes) {
    return zeros(sizes, TensorOptions().dtype(dtype()).device(device(group)));
  }
};

TEST_P(Collectives, AllReduce) {
  on_ranks(3, [](ProcessGroup& group) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin}) {
      if (op == ReduceOp::kMean && !is_floating_point(dtype())) continue;
      for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
        const Tensor x = mine(group, count);
        const Tensor want =
            count == 0 ? x.clone() : expected(op, all_brought(group.size(), count, dtype()));
        group.all_reduce(x, op);
        // Each rank's part of a mean is rounded.
        const double tolerance = op != ReduceOp::kMean        ? 0
                                 : element_size(dtype()) == 2 ? 2e-2
                                                              : 1e-6;
        expect_equal(x, want, tolerance);
      }
    }
  });
}

TEST_P(Collectives, BroadcastFromEveryRank) {
  on_ranks(3, [](ProcessGroup& group) {
    for (int root = 0; root < group.size(); ++root) {
      const Tensor x = mine(group, 5);
      group.broadcast(x, root);
      expect_equal(x, brought(root, 5, dtype()));
    }
  });
}

TEST_P(Collectives, AllGather) {
  on_ranks(3, [](ProcessGroup& group) {
    const Tensor x = mine(group, 6).view({2, 3});
    const std::vector<Tensor> rows = group.all_gather(x);
    ASSERT_EQ(static_cast<int>(rows.size()), group.size());
    for (int rank = 0; rank < group.size(); ++rank) {
      expect_equal(rows[static_cast<std::size_t>(rank)], brought(rank, 6, dtype()).view({2, 3}));
    }
    const Tensor all = empty_result(group, {group.size() * 2, 3});
    group.all_gather(all, x);
    expect_equal(all, all_brought(group.size(), 6, dtype()).view({-1, 3}));
  });
}

TEST_P(Collectives, ReduceScatter) {
  on_ranks(3, [](ProcessGroup& group) {
    const std::int64_t count = std::int64_t{4} * group.size();
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin}) {
      const Tensor x = mine(group, count);
      const Tensor part = empty_result(group, {4});
      group.reduce_scatter(part, x, op);
      const Tensor whole = expected(op, all_brought(group.size(), count, dtype()));
      expect_equal(part, whole.narrow(0, std::int64_t{4} * group.rank(), 4));
      expect_equal(x, mine(group, count));
    }
  });
}

TEST_P(Collectives, AllToAll) {
  on_ranks(3, [](ProcessGroup& group) {
    const std::int64_t count = std::int64_t{2} * group.size();
    const Tensor got = empty_result(group, {count});
    group.all_to_all(got, mine(group, count));
    const Tensor parts =
        all_brought(group.size(), count, dtype()).narrow(1, std::int64_t{2} * group.rank(), 2);
    expect_equal(got, parts.reshape({-1}));
  });
}

TEST_P(Collectives, SendAndRecvInARing) {
  on_ranks(3, [](ProcessGroup& group) {
    const int next = (group.rank() + 1) % group.size();
    const int last = (group.rank() + group.size() - 1) % group.size();
    group.send(mine(group, 3), next);
    group.send(mine(group, 4), next);
    const Tensor first = empty_result(group, {3}), second = empty_result(group, {4});
    group.recv(first, last);
    group.recv(second, last);
    expect_equal(first, brought(last, 3, dtype()));
    expect_equal(second, brought(last, 4, dtype()));
  });
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<ScalarType, DeviceType>>& test) {
  const auto [dtype, device] = test.param;
  return std::string(dtype_info(dtype).python_name) + (device == kCPU ? "" : "_simulated");
}

INSTANTIATE_TEST_SUITE_P(Dtypes, Collectives,
                         ::testing::Combine(::testing::ValuesIn(kDtypes),
                                            ::testing::Values(kCPU, kCUDA)),
                         name_of);

TEST(AllReduce, GivesTheSameBitsToAllRanks) {
  on_ranks(4, [](ProcessGroup& group) {
    for (const std::int64_t count : {1, 5, 100'000, 2'000'000}) {
      Generator generator;
      generator.manual_seed(static_cast<std::uint64_t>(group.rank()));
      const Tensor x = randn({count}, generator);
      const Tensor want = stack(group.all_gather(x)).to(kDouble).sum(0);
      group.all_reduce(x);
      EXPECT_TRUE(allclose(x.to(kDouble), want, 1e-5, 1e-5));
      for (const Tensor& other : group.all_gather(x)) EXPECT_TRUE(equal(other, x));
    }
  });
}

TEST(AllReduce, PassesNaNOn) {
  on_ranks(3, [](ProcessGroup& group) {
    for (int bad = 0; bad < group.size(); ++bad) {
      for (const ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
        Tensor x = full({2}, static_cast<double>(group.rank()));
        if (group.rank() == bad) x[0] = std::numeric_limits<float>::quiet_NaN();
        group.all_reduce(x, op);
        EXPECT_TRUE(x[0].isnan().item<bool>());
        EXPECT_EQ(x[1].item<float>(), op == ReduceOp::kMax ? group.size() - 1 : 0);
      }
    }
  });
}

TEST(AnyCollective, TakeViewsOfAnyLayout) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor whole = zeros({3, 4});
    const Tensor column = whole.select(1, 2);
    column.fill_(group.rank() + 1);
    group.all_reduce(column);
    const int n = group.size();
    EXPECT_TRUE(equal(column, full({3}, n * (n + 1) / 2.0)));
    EXPECT_EQ(whole.sum().item<float>(), column.sum().item<float>());
    // The input is a part of the output.
    const Tensor all = zeros({n, 2});
    all[group.rank()].fill_(group.rank());
    group.all_gather(all, all[group.rank()]);
    EXPECT_TRUE(equal(all.select(1, 0), arange(n).to(kFloat)));
  });
}

TEST(AnyCollective, ChangeALeafAndItsVersion) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor weight = full({2}, 3.0 - group.rank()).requires_grad_();
    const Tensor loss = weight.square().sum();
    group.broadcast(weight);
    EXPECT_TRUE(equal(weight, full({2}, 3.0)));
    EXPECT_NE(error_of([&] { loss.backward(); }).find("modified by an inplace operation"),
              std::string::npos);
  });
}

TEST(CollectivesOfDevices, KeepTheDevice) {
  on_ranks(2, [](ProcessGroup& group) {
    const Device device = device_of(group, kCUDA);
    const Tensor x = full({3}, group.rank() + 1.0, device);
    group.all_reduce(x);
    const int n = group.size();
    EXPECT_TRUE(equal(x.cpu(), full({3}, n * (n + 1) / 2.0)));
    distributed::Work work = group.all_reduce_async(x, ReduceOp::kMean);
    work.wait();
    EXPECT_TRUE(equal(x.cpu(), full({3}, n * (n + 1) / 2.0)));
    EXPECT_EQ(group.all_gather(x)[0].device(), device);
  });
}

// MPI counts with int; here its calls take 40 bytes at most.
TEST(AnyCollective, GoesInPieces) {
  setenv("TERN_MPI_PIECE", "40", /*overwrite=*/1);
  on_ranks(3, [](ProcessGroup& whole) {
    const ProcessGroup group = whole.split(0);
    const int n = group.size(), rank = group.rank();
    constexpr std::int64_t kCount = 37;
    const Tensor x = brought(rank, kCount * n, kDouble), part = zeros({kCount}, kDouble);
    const Tensor all = all_brought(n, kCount * n, kDouble), got = zeros_like(x);
    group.reduce_scatter(part, x);
    EXPECT_TRUE(equal(part, all.sum(0).narrow(0, kCount * rank, kCount)));
    group.all_to_all(got, x);
    EXPECT_TRUE(equal(got, all.narrow(1, kCount * rank, kCount).reshape({-1})));
    EXPECT_TRUE(equal(stack(group.all_gather(x)), all));
    group.send(x, (rank + 1) % n);
    const int last = (rank + n - 1) % n;
    group.recv(got, last);
    EXPECT_TRUE(equal(got, all[last]));
  });
  unsetenv("TERN_MPI_PIECE");
}

TEST(Work, RunsInTheOrderOfTheCalls) {
  on_ranks(3, [](ProcessGroup& group) {
    std::vector<Tensor> tensors;
    std::vector<distributed::Work> works;
    for (int i = 0; i < 20; ++i) {
      tensors.push_back(full({i + 1}, group.rank() + i));
      works.push_back(i % 2 == 0 ? group.all_reduce_async(tensors.back(), ReduceOp::kMax)
                                 : group.broadcast_async(tensors.back(), i % group.size()));
    }
    // One that waits comes after those that were started.
    Tensor last = full({2}, 1);
    group.all_reduce(last);
    EXPECT_EQ(last[0].item<float>(), group.size());
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(works[static_cast<std::size_t>(i)].is_completed());
      works[static_cast<std::size_t>(i)].wait();
      const int want = i + (i % 2 == 0 ? group.size() - 1 : i % group.size());
      EXPECT_TRUE(equal(tensors[static_cast<std::size_t>(i)], full({i + 1}, want)));
    }
  });
}

TEST(Work, KeepsGroupAndTensorAlive) {
  on_ranks(2, [](ProcessGroup& group) {
    Tensor x;
    distributed::Work work;
    {
      const ProcessGroup other = group.split(0);
      x = ones({1000});
      work = other.all_reduce_async(x.clone());
    }
    work.wait();
    work.wait();
    EXPECT_TRUE(work.is_completed());
    group.barrier();
  });
}

TEST(Split, MakesGroupsInOrderOfKeys) {
  on_ranks(4, [](ProcessGroup& group) {
    const int color = group.rank() % 2;
    const ProcessGroup part = group.split(color, -group.rank());
    const int size = (group.size() + 1 - color) / 2;
    ASSERT_EQ(part.size(), size);
    EXPECT_EQ(part.rank(), size - 1 - group.rank() / 2);
    const Tensor x = full({1}, group.rank());
    part.all_reduce(x, ReduceOp::kMax);
    EXPECT_EQ(x.item<int>(), color + 2 * (size - 1));
    // Groups do not mix.
    const ProcessGroup again = group.split(0);
    distributed::Work work = again.all_reduce_async(x, ReduceOp::kMin);
    group.barrier();
    part.barrier();
    work.wait();
    EXPECT_EQ(again.rank(), group.rank());
  });
}

TEST(Alone, DoesNothing) {
  const ProcessGroup group;
  EXPECT_EQ(group.rank(), 0);
  EXPECT_EQ(group.size(), 1);
  const Tensor x = arange(3);
  group.all_reduce(x);
  group.all_reduce(x.to(kFloat), ReduceOp::kMean);
  group.broadcast(x);
  group.barrier();
  EXPECT_TRUE(equal(group.all_gather(x)[0], arange(3)));
  const Tensor y = zeros({3}, kLong);
  group.all_to_all(y, x);
  EXPECT_TRUE(equal(y, x));
  y.zero_();
  group.reduce_scatter_async(y, x).wait();
  EXPECT_TRUE(equal(y, x));
  EXPECT_EQ(group.split(3).size(), 1);
}

}  // namespace
}  // namespace tern::testing
