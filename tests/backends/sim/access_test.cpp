#include <csignal>

#include "backends/cuda/simulated.h"

#include <tern/core/kernels/families/index.h>

namespace tern::sim {
namespace {

using tern::testing::DeviceArray;
using tern::testing::fill_args;
using tern::testing::launch;

// Prevents the compiler from removing the access.
template <class T>
T read_on_host(const T* pointer) {
  return *static_cast<const volatile T*>(pointer);
}

TEST(HostAccessDeathTest, AReadStopsWithTheStoryOfTheBlock) {
  EXPECT_EXIT(
      {
        const DeviceArray<float> a(1024, 0.0f, 1);
        read_on_host(a.data() + 32);
      },
      ::testing::KilledBySignal(SIGSEGV),
      "tern: the host read memory of cuda:1 at 0x[0-9a-f]+, 128 bytes into a block of 4096 bytes, "
      "allocation number 1 of that device; copy it with .cpu\\(\\) or .item\\(\\) first");
}

TEST(HostAccessDeathTest, AWriteStopsToo) {
  EXPECT_EXIT(
      {
        const DeviceArray<float> a(1, 0.0f, 0);
        *static_cast<volatile float*>(a.data()) = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "tern: the host (wrote to|read) memory of cuda:0");
}

TEST(HostAccessDeathTest, FreedMemoryIsNamed) {
  EXPECT_EXIT(
      {
        const float* dangling = nullptr;
        {
          const DeviceArray<float> a(1, 0.0f, 0);
          dangling = a.data();
        }
        read_on_host(dangling);
      },
      ::testing::KilledBySignal(SIGSEGV), "into a block of [0-9]+ bytes that was freed");
}

TEST(HostAccessDeathTest, OtherFaultsGoToTheHandlerBefore) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, [](int) { _exit(7); });
        cuda::synchronize();
        raise(SIGSEGV);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(KernelAccess, MemoryOfAnotherDeviceIsAFault) {
  const DeviceArray<float> other(4, 0.0f, 1);
  const auto context = launch(fill_args(other.data(), 4, 1.0f), 0);
  EXPECT_EQ(context.status, kernels::StatusCode::kDeviceFault);
  EXPECT_NE(std::string(context.message)
                .find("an illegal memory access was encountered: kernel fill on cuda:0 got the "
                      "output in memory of cuda:1 at 0x"),
            std::string::npos)
      << context.message;
}

TEST(KernelAccess, HostMemoryIsAFault) {
  float host[4] = {};
  const auto context = launch(fill_args(host, 4, 1.0f), 1);
  EXPECT_NE(std::string(context.message).find("fill on cuda:1 got the output in host memory"),
            std::string::npos)
      << context.message;
}

TEST(KernelAccess, BeyondTheBlockIsAFault) {
  const DeviceArray<float> a(4, 0.0f);
  const auto context = launch(fill_args(a.data(), 5, 1.0f), 0);
  EXPECT_NE(std::string(context.message).find("beyond its block of 16 bytes"), std::string::npos)
      << context.message;
  EXPECT_EQ(launch(fill_args(a.data(), 4, 1.0f), 0).status, kernels::StatusCode::kOk);
}

TEST(KernelAccess, FreedMemoryIsAFault) {
  float* dangling = nullptr;
  {
    const DeviceArray<float> a(4, 0.0f);
    dangling = a.data();
  }
  const auto context = launch(fill_args(dangling, 4, 1.0f), 0);
  EXPECT_NE(std::string(context.message).find("which was freed"), std::string::npos)
      << context.message;
}

// Stands for a kernel with a mistake: `limit` allows the index 3, so the kernel writes out[3], but
// the operand is only out[0] and out[1].
TEST(KernelAccess, AWriteBesideTheOperandsIsAFault) {
  const auto index = tern::testing::upload<std::int64_t>({3});
  const DeviceArray<float> out(8, 1.0f), other(1, 1.0f);
  kernels::IndexArgs args{};
  args.op = kernels::IndexOp::kAdd;
  args.dtype = kFloat;
  args.outer = args.inner = args.in_size = args.count = 1;
  args.limit = 4;
  args.index = index.data();
  args.out = out.data();
  // out[3] lies behind an operand, or between two.
  for (const float* in : {other.data(), out.data() + 4}) {
    args.in = in;
    args.out_size = 2;
    EXPECT_EQ(launch(args).status, kernels::StatusCode::kOk);
    const std::string text = error_of<DeviceError>([] { cuda::synchronize(0); });
    EXPECT_NE(text.find("kernel index on cuda:0 wrote beside its operands"), text.npos) << text;
    args.out_size = 4;
    launch(args);
    EXPECT_NO_THROW(cuda::synchronize(0));
  }
}

TEST(KernelAccess, AStreamOfAnotherDeviceIsRefused) {
  const DeviceArray<float> a(4, 0.0f, 0);
  kernels::KernelContext context;
  context.device = 0;
  context.stream = cuda::getDefaultCUDAStream(1).stream();
  const auto args = fill_args(a.data(), 4, 1.0f);
  cuda::cuda_backend().kernels()[kernels::Slot::fill](&args, &context);
  EXPECT_EQ(context.status, kernels::StatusCode::kDeviceFault);
}

TEST(KernelAccess, AnInjectedLaunchFaultIsReported) {
  const DeviceArray<float> a(4, 0.0f);
  cuda::detail::plugin().inject(kernels::PluginFault::kLaunch, 2);
  EXPECT_EQ(launch(fill_args(a.data(), 4, 1.0f)).status, kernels::StatusCode::kOk);
  EXPECT_EQ(launch(fill_args(a.data(), 4, 2.0f)).status, kernels::StatusCode::kDeviceFault);
  EXPECT_EQ(a.read()[0], 1.0f);
}

TEST(BlockingLaunchDeathTest, TheEnvironmentMakesLaunchesBlock) {
  EXPECT_EXIT(
      {
        setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
        const DeviceArray<float> a(1, 0.0f);
        launch(fill_args(a.data(), 1, 1.0f));
        const bool done = cuda::getCurrentCUDAStream().query();
        const auto index = tern::testing::upload<std::int64_t>({7});
        const auto context =
            launch(kernels::IndexArgs{kernels::IndexOp::kSelect, kFloat, 1, 1, 1, 1, 1, 1, a.data(),
                                      index.data(), a.data(), 0});
        std::exit(done && context.status == kernels::StatusCode::kIndexOutOfRange &&
                          context.detail == 7 && context.limit == 1
                      ? 0
                      : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tern::sim
