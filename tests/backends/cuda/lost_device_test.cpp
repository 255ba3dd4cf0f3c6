#include <functional>
#include <string>

#include <tern/tern.h>

#include "backends/cuda/simulated.h"

// A fault that makes a device unusable; each test runs in a separate process.

namespace tern {
namespace {

const std::string kLost =
    "CUDA error: an illegal memory access was encountered; earlier work of cuda:0 found it "
    "(CUDA_LAUNCH_BLOCKING=1 shows which), and this process cannot use the device any more";

// Makes the next kernel on cuda:0 lose the device and waits for it.
void lose_device() {
  cuda::detail::plugin().inject(kernels::PluginFault::kKernel, 1);
  Tensor a = zeros({4}, Device("cuda:0"));
  EXPECT_EQ(error_of<DeviceError>([] { cuda::synchronize(0); }), kLost);
}

TEST(LostDeviceDeathTest, EveryLaterCallSaysSo) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        const Tensor a = ones({4}, Device("cuda:0"));
        const Tensor pinned = ones({4}).pin_memory();
        const cuda::Stream side = cuda::getStreamFromPool(false, 0);
        cuda::Event event;
        event.record();
        lose_device();
        for (const std::function<void()>& call : std::initializer_list<std::function<void()>>{
                 [&] { a + 1; }, [&] { a.cpu(); }, [&] { a.clone().copy_(pinned, true); },
                 [] { zeros({4}, Device("cuda:0")); }, [] { cuda::synchronize(0); },
                 [&] { side.synchronize(); }, [&] { side.query(); }, [&] { event.synchronize(); },
                 [&] { event.record(cuda::getDefaultCUDAStream(0)); }, [&] { event.block(side); },
                 [] { zeros({1 << 24}, Device("cuda:0")); }, [] { cuda::mem_get_info(0); }}) {
          const std::string text = error_of<DeviceError>(call);
          EXPECT_NE(text.find(kLost), std::string::npos) << text;
        }
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(LostDeviceDeathTest, OtherDevicesAndTheEndOfTheProgramAreUnharmed) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        bool good = true;
        {
          Tensor weight = ones({4}, Device("cuda:0")).requires_grad_();
          Tensor loss = (weight * 2).square().sum();
          const Tensor pinned = ones({4}).pin_memory();
          const cuda::Stream side = cuda::getStreamFromPool(false, 0);
          weight.record_stream(side);
          cuda::Event event;
          event.record();
          cuda::CUDAGraph graph;
          graph.capture([&] { weight.detach() + 1; }, {}, side);
          lose_device();
          good = ones({4}, Device("cuda:1")).sum().item<float>() == 4 &&
                 ones({4}).sum().item<float>() == 4;
        }
        std::exit(good && !::testing::Test::HasFailure() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tern
