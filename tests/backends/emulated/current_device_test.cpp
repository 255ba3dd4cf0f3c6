#include <thread>

#include <tern/backends/cuda/device/runtime/runtime.h>
#include <tern/backends/cuda/device/runtime/sticky_error.h>
#include <tern/core/kernels/families/fill.h>

#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

// The runtime's current device, which belongs to the program, before and after calls of the plugin.
// The emulator's runtime has four devices.

namespace tern::cuda::device {
namespace {

class CurrentDevice : public ::testing::Test {
 protected:
  CurrentDevice() {
    emulator::runtime_device() = 0;
    emulator::contexts() = 0;
  }
  ~CurrentDevice() override { emulator::refuses_device() = false; }
  static int current() { return emulator::runtime_device(); }
  static bool is_started(int device) { return has_context(device) != 0; }
  static void exchange_and_restore(int device) {
    PluginStatus status;
    const std::int32_t before = exchange_device(device, &status);
    EXPECT_EQ(current(), device);
    restore_device(before);
  }

  PluginStatus status_;
};

TEST_F(CurrentDevice, ScopesPutBackWhatTheProgramSet) {
  cudaSetDevice(2);
  {
    const DeviceScope scope(1, &status_);
    EXPECT_EQ(current(), 1);
    const DeviceScope inner(3, &status_);
    EXPECT_EQ(current(), 3);
  }
  EXPECT_EQ(current(), 2);
  exchange_and_restore(0);
  EXPECT_EQ(current(), 2);
}

TEST_F(CurrentDevice, ADeviceThatNobodyUsesIsNotStarted) {
  { const DeviceScope scope(1, &status_); }
  EXPECT_FALSE(is_started(0));
  EXPECT_TRUE(is_started(1));
  { const DeviceScope scope(1, &status_); }
  exchange_and_restore(1);
  EXPECT_FALSE(is_started(0));
}

TEST_F(CurrentDevice, IsPutBackOnceItIsUsed) {
  exchange_and_restore(1);
  std::thread([] { cudaSetDevice(0); }).join();
  { const DeviceScope scope(1, &status_); }
  EXPECT_EQ(current(), 0);
  EXPECT_EQ(emulator::contexts(), 3u);
}

TEST_F(CurrentDevice, TheProgramsChoiceEndsTheWait) {
  exchange_and_restore(1);  // back to 0 once device 0 is in use
  cudaSetDevice(2);
  cudaSetDevice(0);
  cudaSetDevice(3);
  { const DeviceScope scope(1, &status_); }
  EXPECT_EQ(current(), 3);
}

TEST_F(CurrentDevice, ExchangeReportsAnErrorAndKeepsTheDevice) {
  cudaSetDevice(2);
  PluginStatus status;
  const std::int32_t before = exchange_device(9, &status);
  EXPECT_EQ(status.code, StatusCode::kDeviceFault);
  EXPECT_EQ(before, 2);
  EXPECT_EQ(current(), 2);
  EXPECT_EQ(emulator::last_error(), 0);  // reported by tern, so not left for the program
}

// A call that went on would work on the device that is current.
TEST_F(CurrentDevice, AScopeReportsThatItsDeviceIsNotCurrent) {
  cudaSetDevice(2);
  emulator::refuses_device() = true;
  KernelContext context;
  {
    const DeviceScope scope(1, &status_);
    EXPECT_FALSE(scope.is_current());
    EXPECT_EQ(status_.code, StatusCode::kDeviceFault);
    const DeviceScope of_kernel(1, context);
    EXPECT_FALSE(of_kernel.is_current());
    EXPECT_EQ(context.status, StatusCode::kDeviceFault);
    const DeviceScope there_already(2, context);
    EXPECT_TRUE(there_already.is_current());
  }
  EXPECT_EQ(current(), 2);
  EXPECT_EQ(emulator::last_error(), 0);
}

TEST_F(CurrentDevice, CallsOfThePluginUseNoOtherDevice) {
  cudaSetDevice(2);
  emulator::refuses_device() = true;
  const auto fails = [](const auto& call) {
    PluginStatus status;
    call(&status);
    return status.code == StatusCode::kDeviceFault;
  };
  EXPECT_TRUE(fails([](PluginStatus* status) { EXPECT_EQ(allocate(1, 512, status), nullptr); }));
  EXPECT_TRUE(fails([](PluginStatus* status) { EXPECT_EQ(event_create(1, 2, status), nullptr); }));
  EXPECT_TRUE(fails([](PluginStatus* status) { device_synchronize(1, status); }));
  std::int64_t free = 0, total = 0;
  EXPECT_TRUE(fails([&](PluginStatus* status) { memory_info(1, &free, &total, status); }));
  EXPECT_EQ(total, 0);
  float element = 3;
  FillArgs fill{};
  fill.out.data = &element;
  fill.out.dtype = kFloat;
  fill.value = {7, 0};
  KernelContext context;
  context.device = 1;
  launch_table()[Slot::fill](&fill, &context);
  EXPECT_EQ(context.status, StatusCode::kDeviceFault);
  EXPECT_EQ(element, 3);
  EXPECT_EQ(current(), 2);
}

TEST_F(CurrentDevice, AScopeThatCannotPutTheDeviceBackLeavesThatToTheNext) {
  cudaSetDevice(2);
  {
    const DeviceScope scope(1, &status_);
    emulator::refuses_device() = true;
  }
  EXPECT_EQ(current(), 1);
  emulator::refuses_device() = false;
  { const DeviceScope scope(1, &status_); }
  EXPECT_EQ(current(), 2);
  EXPECT_EQ(status_.code, StatusCode::kOk);
}

// Compiles with the names that the oldest CUDA has.
TEST(StickyError, AnErrorOfAKernelEndsTheUseOfTheDevice) {
  EXPECT_TRUE(is_sticky(cudaErrorIllegalAddress));
  EXPECT_TRUE(is_sticky(cudaErrorAssert));
  EXPECT_TRUE(is_sticky(cudaErrorExternalDevice));
  EXPECT_FALSE(is_sticky(cudaSuccess));
  EXPECT_FALSE(is_sticky(cudaErrorMemoryAllocation));
  EXPECT_FALSE(is_sticky(cudaErrorInvalidDevice));
}

}  // namespace
}  // namespace tern::cuda::device
