#include <gtest/gtest.h>

#include <tern/backends/cuda/device/runtime/device_count.h>

#include "backends/kernel_test.h"

// Counts the devices of a machine without starting CUDA, with a driver made by the test.

namespace tern::cuda::device {
namespace {

struct Machine {
  unsigned devices = 4;
  int driver = 13000;
  int init_status = 0;
  unsigned cut_device = 99;  // device in MIG mode
  bool has_mig = true;
  int opened = 0;
};
Machine machine;

const ManagementLibrary kLibrary{
    [] {
      if (machine.init_status == 0) ++machine.opened;
      return machine.init_status;
    },
    [] {
      --machine.opened;
      return 0;
    },
    [](int* version) {
      *version = machine.driver;
      return 0;
    },
    [](unsigned* count) {
      *count = machine.devices;
      return 0;
    },
    [](unsigned index, void** device) {
      *device = reinterpret_cast<void*>(std::uintptr_t{index} + 1);
      return 0;
    },
    [](void* device, unsigned* now, unsigned* after_reset) {
      if (!machine.has_mig) return 3;  // NVML_ERROR_NOT_SUPPORTED
      *now = *after_reset = reinterpret_cast<std::uintptr_t>(device) - 1 == machine.cut_device;
      return 0;
    }};

int count(const Machine& given, const char* visible = nullptr) {
  machine = given;
  const int result = count_without_cuda(kLibrary, visible, 13000);
  EXPECT_EQ(machine.opened, 0);
  return result;
}

TEST(DeviceCount, IsKnownWithoutCuda) {
  EXPECT_EQ(count({}), 4);
  EXPECT_EQ(count({.devices = 1, .has_mig = false}), 1);
  EXPECT_EQ(count({.driver = 13020}), 4);
  EXPECT_EQ(count({}, "2,0"), 2);
  EXPECT_EQ(count({}, "3,4,0"), 1);
  EXPECT_EQ(count({}, ""), 0);
  EXPECT_EQ(count({}, "-1"), 0);
}

TEST(DeviceCount, IsLeftToCudaWhereItIsNotCertain) {
  EXPECT_EQ(count({.driver = 12080}), -1);  // CUDA itself must report that the driver is too old
  EXPECT_EQ(count({.devices = 0}), -1);
  EXPECT_EQ(count({.init_status = 9}), -1);
  EXPECT_EQ(count({.cut_device = 2}), -1);
  EXPECT_EQ(count({}, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"), -1);
  EXPECT_EQ(count({}, "0,MIG-8932f937"), -1);
}

}  // namespace
}  // namespace tern::cuda::device
