#include <tern/backends/cuda/host/cuda.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>
#include <tern/core/tensor/generator.h>

namespace tern::cuda {
namespace {

thread_local constinit DeviceIndex current = 0;

}  // namespace

bool is_available() { return detail::loaded_plugin().plugin != nullptr; }

std::string unavailable_reason() { return detail::loaded_plugin().reason; }

DeviceIndex device_count() {
  const kernels::Plugin* plugin = detail::loaded_plugin().plugin;
  return plugin == nullptr ? 0 : std::min(plugin->device_count, kMaxDevices);
}

DeviceIndex current_device() {
  detail::plugin();
  return current;
}

void set_device(StrictDeviceIndex device) { detail::exchange_device(device); }

DeviceProperties get_device_properties(StrictDeviceIndex device) {
  device = detail::resolve(device);
  kernels::PluginDevice facts{};
  detail::plugin().device_facts(device, &facts);
  return {facts.name,
          facts.major,
          facts.minor,
          facts.total_memory,
          facts.multi_processor_count,
          facts.max_threads_per_multi_processor,
          facts.warp_size};
}

std::string get_device_name(StrictDeviceIndex device) { return get_device_properties(device).name; }

bool can_device_access_peer(StrictDeviceIndex device, StrictDeviceIndex peer) {
  detail::check_ordinal(device);
  detail::check_ordinal(peer);
  return detail::plugin().can_access_peer(device, peer) != 0;
}

MemoryStats memory_stats(StrictDeviceIndex device) {
  return cuda_backend().allocator().stats(detail::resolve(device));
}

std::int64_t memory_allocated(StrictDeviceIndex device) { return memory_stats(device).live_bytes; }
std::int64_t max_memory_allocated(StrictDeviceIndex device) {
  return memory_stats(device).peak_bytes;
}

std::int64_t memory_reserved(StrictDeviceIndex device) {
  const MemoryStats stats = memory_stats(device);
  return stats.live_bytes + stats.cached_bytes;
}

std::int64_t max_memory_reserved(StrictDeviceIndex device) {
  return memory_stats(device).peak_reserved_bytes;
}

std::pair<std::int64_t, std::int64_t> mem_get_info(StrictDeviceIndex device) {
  std::int64_t free = 0, total = 0;
  detail::call(&kernels::Plugin::memory_info, detail::resolve(device), &free, &total);
  return {free, total};
}

void manual_seed(std::uint64_t seed) {
  if (!is_available()) return;
  Generator& generator = default_generator(Device(kCUDA, current));
  const std::lock_guard lock(generator.mutex());
  generator.set_current_seed(seed);
}

void reset_peak_memory_stats(StrictDeviceIndex device) {
  cuda_backend().allocator().reset_peak(detail::resolve(device));
}

void empty_cache() {
  if (detail::has_started() && is_available()) cuda_backend().allocator().empty_cache();
}

void synchronize(StrictDeviceIndex device) {
  device = detail::resolve(device);
  // CUDA would refuse, too, but would also end the capture of another thread.
  TERN_CHECK(detail::recordings == 0 || !detail::captures_on(device), DeviceError,
             "CUDA error: operation not permitted when stream is capturing: cuda::synchronize(",
             device, ") while a graph is captured on cuda:", device);
  detail::call(&kernels::Plugin::device_synchronize, device);
}

namespace detail {

void check_ordinal(DeviceIndex device) {
  plugin();
  const DeviceIndex count = device_count();
  TERN_CHECK(device >= 0 && device < count, DeviceError,
             "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have "
             "enough GPUs? cuda:",
             device, " was asked for, the number of devices is ", count);
}

DeviceIndex resolve(DeviceIndex device) {
  if (device < 0) return current_device();
  check_ordinal(device);
  return device;
}

CurrentDevice exchange_device(DeviceIndex device) {
  check_ordinal(device);
  const std::int32_t runtime = call(&kernels::Plugin::exchange_device, device);
  return {std::exchange(current, device), runtime};
}

void restore_device(CurrentDevice before) noexcept {
  current = before.device;
  const kernels::Plugin* plugin = loaded_plugin().plugin;
  if (plugin != nullptr) plugin->restore_device(before.runtime);
}

}  // namespace detail
}  // namespace tern::cuda

namespace tern {

DeviceGuard::DeviceGuard(Device device) {
  if (!device.is_cuda() || !device.has_index()) return;
  previous_ = cuda::detail::exchange_device(device.index());
}

DeviceGuard::~DeviceGuard() {
  if (previous_.device >= 0) cuda::detail::restore_device(previous_);
}

}  // namespace tern
