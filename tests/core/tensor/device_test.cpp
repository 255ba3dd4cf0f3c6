#include <tern/core/tensor/device.h>

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

namespace tern {
namespace {

std::string refusal_of(const char* text) {
  try {
    Device device(text);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr const char* kKnown =
    "Expected one of cpu, cuda, meta device type at start of device string: ";

TEST(Device, ReadsNamesWithAndWithoutIndex) {
  EXPECT_EQ(Device("cpu"), Device(kCPU));
  EXPECT_EQ(Device("cuda"), Device(kCUDA));
  EXPECT_EQ(Device("cuda:1"), Device(kCUDA, 1));
  EXPECT_EQ(Device(std::string("cuda:127")).index(), 127);
  EXPECT_EQ(Device("cpu:0"), Device(kCPU, 0));
  EXPECT_EQ(Device("meta:3").type(), kMeta);
  EXPECT_EQ(Device(2), Device(kCUDA, 2));
}

TEST(Device, WithoutIndexIsNotIndexZero) {
  EXPECT_FALSE(Device("cuda").has_index());
  EXPECT_FALSE(Device("cuda") == Device("cuda:0"));
  EXPECT_FALSE(Device("cpu") == Device("cpu:0"));
}

TEST(Device, RefusesMalformedTextInPyTorchsWords) {
  EXPECT_EQ(refusal_of(""), "Device string must not be empty");
  for (const char* text : {"cuda:-1", "cuda:", "cuda:01", "cuda:a", "cuda:1:2", "cuda::1", " cuda",
                           "cuda:0 ", "cuda0", "cu da", ":1", "gpu:01"}) {
    EXPECT_EQ(refusal_of(text), std::string("Invalid device string: '") + text + "'");
  }
  EXPECT_EQ(refusal_of("cuda:99999999999"),
            "Could not parse device index '99999999999' in device string 'cuda:99999999999'");
}

TEST(Device, RefusesUnknownAndMissingBackends) {
  EXPECT_EQ(refusal_of("gpu"), std::string(kKnown) + "gpu");
  EXPECT_EQ(refusal_of("CUDA:1"), std::string(kKnown) + "CUDA");
  EXPECT_EQ(refusal_of("mps"),
            "tern is not linked with support for mps devices, only for cpu, cuda and meta");
  EXPECT_EQ(refusal_of("cpu, cuda"), "Invalid device string: 'cpu, cuda'");
}

TEST(Device, RefusesImpossibleIndices) {
  EXPECT_EQ(refusal_of("cpu:1"), "CPU device index must be -1 or zero, got 1");
  EXPECT_THROW(Device(kCPU, 1), DeviceError);
  EXPECT_THROW(Device(kCUDA, -2), DeviceError);
  EXPECT_THROW(Device(-1), DeviceError);
  EXPECT_NO_THROW(Device(kCUDA, -1));
  EXPECT_NO_THROW(Device("cuda:99"));  // naming it is no error, using it is
}

TEST(Device, PrintsAsItIsWritten) {
  std::ostringstream out;
  out << Device("cuda:1") << ' ' << Device(kCUDA) << ' ' << kCPU << ' ' << Device(kMeta);
  EXPECT_EQ(out.str(), "cuda:1 cuda cpu meta");
}

TEST(Device, EqualDevicesHashAlike) {
  const std::hash<Device> hash;
  EXPECT_EQ(hash(Device("cuda:1")), hash(Device(1)));
  EXPECT_NE(hash(Device("cuda:1")), hash(Device("cuda")));
}

TEST(Device, TakesAnotherIndex) {
  Device device(kCUDA, 1);
  device.set_index(0);
  EXPECT_EQ(device, Device("cuda:0"));
  device.set_index(-1);
  EXPECT_EQ(device, Device("cuda"));
  EXPECT_THROW(device.set_index(-2), DeviceError);
  EXPECT_EQ(device, Device("cuda"));
  Device cpu(kCPU);
  EXPECT_THROW(cpu.set_index(1), DeviceError);
}

}  // namespace
}  // namespace tern
