#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <tern/backends/cuda/device/runtime/device_count.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/runtime/runtime.h>

// The plugin table of real devices: thin calls of the CUDA runtime. This file has memory and
// devices; streams, events and graphs are in stream_calls.cpp.

namespace tern::cuda::device {
namespace {

// Returns true if the hardware lets a real device access the memory of another.
bool reaches(std::int32_t from, std::int32_t to) {
  int possible = 0;
  return succeeds(cudaDeviceCanAccessPeer(&possible, from, to)) && possible != 0;
}

// Enables access between two real devices in both directions where the hardware can. Without peer
// access, copies go through the host.
void enable_peers(std::int32_t a, std::int32_t b) {
  static std::once_flag enabled[kMostDevices][kMostDevices];
  std::call_once(enabled[std::min(a, b)][std::max(a, b)], [&] {
    const RelaxedCapture relaxed;
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      if (!reaches(from, to)) continue;
      PluginStatus ignored;
      const DeviceScope scope(from, &ignored);
      if (!scope.is_current()) continue;
      succeeds(cudaDeviceEnablePeerAccess(to, 0));  // fails if the program has enabled it
    }
  });
}

}  // namespace

void device_facts(std::int32_t device, PluginDevice* facts) {
  *facts = {};
  cudaDeviceProp properties{};
  PluginStatus ignored;
  if (!check(cudaGetDeviceProperties(&properties, real_device(device)), &ignored)) return;
  std::snprintf(facts->name, sizeof(facts->name), "%s", properties.name);
  facts->total_memory = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts->major = properties.major;
  facts->minor = properties.minor;
  facts->multi_processor_count = properties.multiProcessorCount;
  facts->max_threads_per_multi_processor = properties.maxThreadsPerMultiProcessor;
  facts->warp_size = properties.warpSize;
}

void memory_info(std::int32_t device, std::int64_t* free, std::int64_t* total,
                 PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return;
  const RelaxedCapture relaxed;
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), status);
  *free = static_cast<std::int64_t>(free_bytes);
  *total = static_cast<std::int64_t>(total_bytes);
}

void* allocate(std::int32_t device, std::size_t bytes, PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return nullptr;
  const RelaxedCapture relaxed;
  void* pointer = nullptr;
  return check(cudaMalloc(&pointer, bytes), status) ? pointer : nullptr;
}

void release(std::int32_t device, void* pointer, PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return;
  const RelaxedCapture relaxed;
  check_waited(cudaFree(pointer), status);
}

void* allocate_host(std::int32_t device, std::size_t bytes, PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return nullptr;
  const RelaxedCapture relaxed;
  void* pointer = nullptr;
  return check(cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable), status) ? pointer : nullptr;
}

void release_host(std::int32_t device, void* pointer, PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return;
  check_waited(cudaFreeHost(pointer), status);
}

std::int32_t can_access_peer(std::int32_t device, std::int32_t peer) {
  const std::int32_t from = real_device(device), to = real_device(peer);
  return (from == to ? device != peer : reaches(from, to)) ? 1 : 0;
}

void copy(void* to, std::int32_t to_device, const void* from, std::int32_t from_device,
          std::size_t bytes, void* stream, PluginStatus* status) {
  if (bytes == 0) return;
  const DeviceScope scope(from_device == kHostDevice ? to_device : from_device, status);
  if (!scope.is_current()) return;
  const auto queue = static_cast<cudaStream_t>(stream);
  if (from_device != kHostDevice && to_device != kHostDevice) {
    const std::int32_t source = real_device(from_device), target = real_device(to_device);
    if (source != target) {
      enable_peers(source, target);
      check(cudaMemcpyPeerAsync(to, target, from, source, bytes, queue), status);
      return;
    }
  }
  const cudaMemcpyKind kind = from_device == kHostDevice ? cudaMemcpyHostToDevice
                              : to_device == kHostDevice ? cudaMemcpyDeviceToHost
                                                         : cudaMemcpyDeviceToDevice;
  check(cudaMemcpyAsync(to, from, bytes, kind, queue), status);
}

namespace {

constexpr int kMostVirtual = 16;

// Returns the number of devices without starting CUDA, or -1 if that is not possible.
int count_early() {
  ManagementLibrary library{};
  if (!open_management_library(&library)) return -1;
  return count_without_cuda(library, std::getenv("CUDA_VISIBLE_DEVICES"), CUDART_VERSION);
}

// Asks CUDA, which starts the driver. Writes the reason to `out` if no device can be used.
void write_unavailable(char* out, std::size_t size, int* count) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const cudaError_t error = cudaGetDeviceCount(count);
  if (succeeds(error)) return;
  *count = 0;
  if (driver == 0) {
    std::snprintf(out, size, "Found no NVIDIA driver on your system");
  } else if (error == cudaErrorInsufficientDriver) {
    std::snprintf(out, size,
                  "The NVIDIA driver on your system is too old: it supports CUDA %d.%d, and this "
                  "plugin was built with CUDA %d.%d",
                  driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  } else if (error == cudaErrorNoDevice) {
    std::snprintf(out, size, "No CUDA GPUs are available");
  } else {
    std::snprintf(out, size, "CUDA error: %s", cudaGetErrorString(error));
  }
}

// Returns how many devices to show. Writes a reason if TERN_CUDA_VIRTUAL_DEVICES is invalid.
DeviceCounts count_devices(int real, char* reason, std::size_t size) {
  const char* const wanted = std::getenv("TERN_CUDA_VIRTUAL_DEVICES");
  if (wanted == nullptr || *wanted == '\0' || real == 0) return {real, real};
  char* end = nullptr;
  const long shown = std::strtol(wanted, &end, 10);
  if (*end == '\0' && shown >= 1 && shown <= kMostVirtual) return {real, static_cast<int>(shown)};
  std::snprintf(reason, size,
                "TERN_CUDA_VIRTUAL_DEVICES must be a number of devices from 1 to %d, got '%s'",
                kMostVirtual, wanted);
  return {real, 0};
}

Plugin make_plugin() {
  Plugin plugin{};
  plugin.build_id = plugin_build_id();
  plugin.name = "CUDA";
#define TERN_PLUGIN_CALL(result, name, parameters) plugin.name = name;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL
  plugin.kernels = launch_table();
  return plugin;
}

}  // namespace
}  // namespace tern::cuda::device

extern "C" TERN_API const tern::kernels::Plugin* tern_plugin_entry(
    const tern::kernels::PluginHost* host) {
  using namespace tern::cuda::device;
  static Plugin plugin = make_plugin();
  static char reason[256];
  if (host->build_id != plugin.build_id || plugin.device_count != 0) return &plugin;
  set_host(*host);
  int count = count_early();
  if (count < 0) {
    write_unavailable(reason, sizeof(reason), &count);
    plugin.driver_started = 1;
  }
  const DeviceCounts counts = count_devices(count, reason, sizeof(reason));
  if (reason[0] != '\0') plugin.unavailable_reason = reason;
  set_device_counts(counts);
  plugin.device_count = counts.shown;
  return &plugin;
}
