#pragma once

#include <cuda_runtime_api.h>

#include <tern/core/kernels/plugin.h>

// Helpers shared by the plugin's functions: the current device, and errors of the CUDA runtime.

namespace tern::cuda::device {

using namespace kernels;

// The functions of the plugin's table.
#define TERN_PLUGIN_CALL(result, name, parameters) result name parameters;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL

/// The functions that libtern offers; set when the plugin is opened.
const PluginHost& host();
void set_host(const PluginHost& host);

constexpr int kMostDevices = 64;

/// The number of devices. TERN_CUDA_VIRTUAL_DEVICES=4 shows four devices whatever the machine has,
/// so that programs for several devices can be tried on one. With two real devices, device 5 is
/// real device 1.
struct DeviceCounts {
  int real = 0;
  int shown = 0;
};
void set_device_counts(DeviceCounts counts);
/// Returns true if two devices of libtern may be one real device.
bool shares_devices();
/// Returns the real device behind a device index of libtern.
std::int32_t real_device(std::int32_t device);

/// Makes a device current for this scope. At its end the scope restores the previous device as
/// restore_device does, because the program may launch its own kernels on the current device.
class DeviceScope {
 public:
  /// Reports a failure. The caller must then do nothing, for it would use another device.
  DeviceScope(std::int32_t device, PluginStatus* status);
  DeviceScope(std::int32_t device, KernelContext& context);
  ~DeviceScope() { restore_device(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  bool is_current() const { return error_ == cudaSuccess; }

 private:
  explicit DeviceScope(std::int32_t device);

  cudaError_t error_ = cudaSuccess;
  std::int32_t before_;
};

/// Allocates the device's failure buffer on the first call for a device. Reports failures to
/// `status` and throws nothing.
void start_device(std::int32_t device, PluginStatus* status);

/// Returns true if a call succeeded. Otherwise clears the runtime's record of the error, which
/// belongs to the program.
inline bool succeeds(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaSuccess;
}

/// Returns true if a call of the runtime succeeded. Otherwise writes the error to `status` and
/// clears the runtime's record of it.
bool check(cudaError_t error, PluginStatus* status);
/// Does the same for an error of a device that is not current.
bool check(cudaError_t error, std::int32_t device, PluginStatus* status);

/// Does the same for calls that wait. The message says that an earlier kernel may have caused the
/// error.
bool check_waited(cudaError_t error, PluginStatus* status);

/// Ends a kernel with the failure of a call.
void fail(KernelContext& context, const PluginStatus& status);

/// Returns the kernels, each wrapped to run with the device of its context current.
KernelTable launch_table();

}  // namespace tern::cuda::device
