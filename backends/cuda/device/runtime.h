#pragma once

#include <cuda_runtime_api.h>

#include <tern/core/kernels/plugin.h>

// What the functions of the plugin share: the current device, and errors of the CUDA runtime.

namespace tern::cuda::device {

using namespace kernels;

// What the plugin's table holds.
#define TERN_PLUGIN_CALL(result, name, parameters) result name parameters;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL

/// What libtern offers; set when the plugin is opened.
const PluginHost& host();
void set_host(const PluginHost& host);

constexpr int kMostDevices = 64;

/// How many devices there are. TERN_CUDA_VIRTUAL_DEVICES=4 makes four of what the machine has, so
/// that programs for several devices can be tried on one: device 5 of two real ones is device 1.
struct DeviceCounts {
  int real = 0;
  int shown = 0;
};
void set_device_counts(DeviceCounts counts);
/// The real device behind one that libtern knows.
std::int32_t real_device(std::int32_t device);

/// Makes a device current for this scope. The program starts kernels of its own on the device that
/// is current outside, so the scope puts that one back as restore_device does.
class DeviceScope {
 public:
  explicit DeviceScope(std::int32_t device);
  ~DeviceScope() { restore_device(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  std::int32_t before_;
};

/// The first call for a device makes what its kernels need; throws nothing, reports to status.
void start_device(std::int32_t device, PluginStatus* status);

/// True when a call succeeded. Else the runtime's own record of the error, which belongs to the
/// program, is cleared.
inline bool succeeds(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaSuccess;
}

/// Writes what a call of the runtime returned into the status; true when it succeeded. Clears the
/// runtime's own record of the error.
bool check(cudaError_t error, PluginStatus* status);

/// The same for calls that wait, where errors of earlier kernels show: the message says so.
bool check_waited(cudaError_t error, PluginStatus* status);

/// The kernels, each with its device made current.
KernelTable launch_table();

}  // namespace tern::cuda::device
