#include <cstdlib>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/plugin_call.h>

#include "distributed/training.h"

// CUDA tensors by an MPI that takes pointers to device memory. MPI finds the memory of simulated
// devices with TERN_SIM_HOST_ACCESS=1; collectives_test.cpp then has the values of all dtypes.

namespace tern::testing {
namespace {

class Direct : public ::testing::Test {
 public:
  void SetUp() override {
    const char* const setting = std::getenv("TERN_MPI_CUDA");
    if (!is_under_mpirun() || setting == nullptr) {
      GTEST_SKIP() << "needs mpirun, TERN_MPI_CUDA=1 and TERN_SIM_HOST_ACCESS=1";
    }
  }
};

/// Lets the copies between host and devices fail for a scope.
class NoCopies {
 public:
  NoCopies() { cuda::detail::plugin().inject(kernels::PluginFault::kCopy, -1); }
  ~NoCopies() { cuda::detail::plugin().inject(kernels::PluginFault::kCopy, 0); }
  NoCopies(const NoCopies&) = delete;
  NoCopies& operator=(const NoCopies&) = delete;
};

/// Sets TERN_MPI_CUDA for a scope; groups that are made in it follow it.
class MpiCuda {
 public:
  explicit MpiCuda(const char* value) : old_(std::getenv("TERN_MPI_CUDA")) {
    setenv("TERN_MPI_CUDA", value, /*overwrite=*/1);
  }
  ~MpiCuda() { setenv("TERN_MPI_CUDA", old_.c_str(), /*overwrite=*/1); }
  MpiCuda(const MpiCuda&) = delete;
  MpiCuda& operator=(const MpiCuda&) = delete;

 private:
  std::string old_;
};

TEST_F(Direct, CopiesNothingToTheHost) {
  on_ranks(4, [](ProcessGroup& group) {
    const Device device = device_of(group, kCUDA);
    const int size = group.size();
    const Tensor x = full({5}, group.rank() + 1, TensorOptions(kFloat).device(device));
    const Tensor all = zeros({size, 5}, device), part = zeros({1}, device), root = x.clone();
    const Tensor parts = full({size}, group.rank() + 1, TensorOptions(kFloat).device(device));
    const Tensor swapped = zeros({size}, device);
    {
      const NoCopies no_copies;
      group.all_gather(all, x);
      group.all_reduce(x);
      group.broadcast(root, size - 1);
      group.reduce_scatter(part, parts);
      group.all_to_all(swapped, parts);
    }
    const int sum = size * (size + 1) / 2;
    EXPECT_TRUE(equal(x.cpu(), full({5}, sum, kFloat)));
    EXPECT_TRUE(equal(all.cpu(), arange(1, size + 1, kFloat).view({-1, 1}).expand({size, 5})));
    EXPECT_TRUE(equal(root.cpu(), full({5}, size, kFloat)));
    EXPECT_TRUE(equal(part.cpu(), full({1}, sum, kFloat)));
    EXPECT_TRUE(equal(swapped.cpu(), arange(1, size + 1, kFloat)));
  });
}

TEST_F(Direct, TheSettingForbidsIt) {
  on_ranks(2, [](ProcessGroup& group) {
    const MpiCuda setting("0");
    const ProcessGroup over_host = group.split(0);
    const Tensor x = ones({5}, device_of(group, kCUDA));
    {
      const NoCopies no_copies;
      EXPECT_TRUE(contains(error_of([&] { over_host.all_reduce(x); }), "copy failed (injected)"));
    }
    over_host.all_reduce(x);
    EXPECT_TRUE(equal(x.cpu(), full({5}, group.size(), kFloat)));
  });
}

TEST_F(Direct, ASettingOfOneRankIsAMismatch) {
  on_ranks(2, [](ProcessGroup& group) {
    const MpiCuda setting(group.rank() == 1 ? "0" : "1");
    const ProcessGroup mixed = group.split(0);
    const Tensor x = ones({5}, device_of(group, kCUDA));
    const std::string text = error_of([&] { mixed.all_reduce(x); });
    EXPECT_TRUE(contains(text, "rank 0 calls all_reduce(sum) of float32 [5] on cuda:0 at "))
        << text;
    EXPECT_TRUE(contains(text, " by MPI from device memory, rank 1 calls ")) << text;
    EXPECT_TRUE(contains(text, " over host memory")) << text;
  });
}

// The program's kernels are queued when the call begins, and others when it has ended.
TEST_F(Direct, IsOrderedWithTheProgramsStream) {
  on_ranks(4, [](ProcessGroup& group) {
    const Device device = device_of(group, kCUDA);
    const Tensor x = zeros({1000}, device);
    for (int i = 0; i < 20; ++i) {
      x.fill_(i);
      distributed::Work work = group.all_reduce_async(x);
      work.wait();
      x.add_(1);
      EXPECT_TRUE(equal(x.cpu(), full({1000}, i * group.size() + 1, kFloat))) << i;
    }
  });
}

TEST_F(Direct, ReducesInPieces) {
  on_ranks(2, [](ProcessGroup& group) {
    const Device device = device_of(group, kCUDA);
    const std::int64_t count = (std::int64_t{9} << 20) + 3;  // 36 MiB
    const Tensor x = full({count}, group.rank() + 1, TensorOptions(kFloat).device(device));
    x.slice(0, count - 1).fill_(group.rank());
    group.all_reduce(x, ReduceOp::kMax);
    const Tensor want = full({count}, group.size(), kFloat);
    want.slice(0, count - 1).fill_(group.size() - 1);
    EXPECT_TRUE(equal(x.cpu(), want));
    const Tensor whole = x.repeat({group.size()}), part = zeros({count}, device);
    group.reduce_scatter(part, whole, ReduceOp::kMean);
    EXPECT_TRUE(equal(part.cpu(), want));
  });
}

TEST_F(Direct, TrainsAsOverHostMemory) {
  on_ranks(4, [](ProcessGroup& group) {
    const auto train = [&](const char* setting_of_mpi) {
      const MpiCuda setting(setting_of_mpi);
      const ProcessGroup own = group.split(0);
      const Net net = make_net(0, kFloat);
      net->to(device_of(group, kCUDA));
      const DistributedDataParallel<Net> ddp(net, ddp_options(own));
      optim::SGD optimizer(net->parameters(), 0.1);
      for (std::uint64_t step = 0; step < 5; ++step) {
        const Tensor x =
            numbers({4, 6}, 10 * step + static_cast<std::uint64_t>(own.rank()), kFloat);
        optimizer.zero_grad();
        ddp(x.to(device_of(group, kCUDA))).square().mean().backward();
        optimizer.step();
      }
      return net->head->weight.detach().cpu();
    };
    // Sums of two ranks have one order alone.
    const double tolerance = group.size() == 2 ? 0 : 1e-6;
    EXPECT_TRUE(allclose(train("1"), train("0"), tolerance, tolerance));
  });
}

}  // namespace
}  // namespace tern::testing
