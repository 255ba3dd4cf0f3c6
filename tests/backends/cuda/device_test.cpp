#include <thread>

#include <tern/backends/cuda/host/plugin_call.h>

#include <tern/tern.h>

#include "backends/cuda/simulated.h"

namespace tern::cuda {
namespace {

TEST(CudaDevice, EachThreadHasItsCurrentDevice) {
  EXPECT_EQ(current_device(), 0);
  set_device(1);
  EXPECT_EQ(current_device(), 1);
  DeviceIndex other = -1;
  std::thread([&] { other = current_device(); }).join();
  EXPECT_EQ(other, 0);
  set_device(0);
}

TEST(CudaDevice, RefusesOrdinalsThatDoNotExist) {
  const std::string text = error_of<DeviceError>([] { set_device(7); });
  EXPECT_EQ(
      text,
      "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough "
      "GPUs? cuda:7 was asked for, the number of devices is 2");
  EXPECT_THROW(set_device(-1), DeviceError);
  EXPECT_THROW(synchronize(2), DeviceError);
  EXPECT_THROW(cuda_backend().check_device(2), DeviceError);
  EXPECT_EQ(current_device(), 0);
}

TEST(CudaDevice, GuardsRestoreAlsoOnThrow) {
  {
    const DeviceGuard guard(1);
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
  try {
    const tern::DeviceGuard guard(Device("cuda:1"));
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(current_device(), 0);
  EXPECT_THROW(DeviceGuard(5), DeviceError);
  EXPECT_EQ(current_device(), 0);
}

TEST(CudaDevice, GuardsIgnoreOtherDevices) {
  const tern::DeviceGuard outer(1);
  const tern::DeviceGuard cpu(kCPU);
  const tern::DeviceGuard any(kCUDA);
  EXPECT_EQ(current_device(), 1);
}

// The device on which a program's own kernels run.
std::int32_t runtime_device() {
  const std::int32_t device = detail::call(&kernels::Plugin::exchange_device, 0);
  detail::plugin().restore_device(device);
  return device;
}

TEST(CudaDevice, TheProgramsOwnKernelsFollow) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EQ(runtime_device(), 0);
  set_device(1);
  EXPECT_EQ(runtime_device(), 1);
  {
    const DeviceGuard guard(0);
    EXPECT_EQ(runtime_device(), 0);
    const StreamGuard stream(getStreamFromPool(false, 1));
    EXPECT_EQ(runtime_device(), 1);
    std::thread([] { EXPECT_EQ(runtime_device(), 0); }).join();
  }
  EXPECT_EQ(runtime_device(), 1);
  EXPECT_THROW(set_device(7), DeviceError);
  EXPECT_EQ(runtime_device(), 1);
  set_device(0);
  EXPECT_EQ(runtime_device(), 0);
}

TEST(CudaDevice, GuardsRestoreWhatTheProgramHadSet) {
  TERN_NEEDS_SIMULATOR();
  const std::int32_t before = detail::call(&kernels::Plugin::exchange_device, 1);  // cudaSetDevice
  {
    const DeviceGuard guard(0);
    EXPECT_EQ(runtime_device(), 0);
  }
  EXPECT_EQ(runtime_device(), 1);
  zeros({2}, Device("cuda:0"));
  EXPECT_EQ(runtime_device(), 1);
  EXPECT_EQ(current_device(), 0);
  detail::plugin().restore_device(before);
}

// Runs in a separate process, where no device is in use yet.
TEST(CudaDeviceDeathTest, OnlyTheDevicesInUseAreStarted) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        {
          const DeviceGuard guard(1);
          zeros({2}, kCUDA);
        }
        zeros({2}).pin_memory();
        EXPECT_EQ(detail::plugin().has_context(0), 0);
        EXPECT_EQ(detail::plugin().has_context(1), 1);
        EXPECT_EQ(runtime_device(), 0);
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(CudaDeviceDeathTest, PinnedMemoryStartsTheCurrentDevice) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        set_device(1);
        zeros({2}).pin_memory();
        EXPECT_EQ(detail::plugin().has_context(0), 0);
        EXPECT_EQ(detail::plugin().has_context(1), 1);
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(CudaDevice, TellsItsProperties) {
  TERN_NEEDS_SIMULATOR();
  const DeviceProperties properties = get_device_properties(1);
  EXPECT_EQ(properties.name, "Simulated CUDA device 1");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.warp_size, 32);
  EXPECT_EQ(properties.total_memory, std::int64_t{4} << 30);
  EXPECT_EQ(get_device_name(), "Simulated CUDA device 0");
  EXPECT_THROW(get_device_properties(2), DeviceError);
}

}  // namespace
}  // namespace tern::cuda
