#include <tern/backends/cuda/host/event_pool.h>

#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/plugin_call.h>

namespace tern::cuda::detail {
namespace {

using kernels::Plugin;

constexpr std::uint32_t kNoTiming = 2;  // cudaEventDisableTiming

struct IdleEvents {
  std::mutex mutex;
  std::vector<void*> events;
};

IdleEvents& idle_of(DeviceIndex device) {
  static IdleEvents* const all = new IdleEvents[kMaxDevices];
  return all[device];
}

// Returns null if no event is idle.
void* take_idle(DeviceIndex device) {
  IdleEvents& idle = idle_of(device);
  const std::lock_guard lock(idle.mutex);
  if (idle.events.empty()) return nullptr;
  void* event = idle.events.back();
  idle.events.pop_back();
  return event;
}

}  // namespace

void* record_event(DeviceIndex device, void* stream) {
  void* event = take_idle(device);
  if (event == nullptr) event = call(&Plugin::event_create, device, kNoTiming);
  kernels::PluginStatus status;
  plugin().event_record(event, stream, &status);
  if (status.code != kernels::StatusCode::kOk) keep_event(device, event);
  check(status);
  return event;
}

void keep_event(DeviceIndex device, void* event) {
  IdleEvents& idle = idle_of(device);
  const std::lock_guard lock(idle.mutex);
  idle.events.push_back(event);
}

// Polls, because event_synchronize would consume the error of a kernel, which belongs to the user.
bool collect_event(DeviceIndex device, void* event, bool wait) {
  while (call(&Plugin::event_query, event) == 0) {
    if (!wait) return false;
    std::this_thread::yield();
  }
  keep_event(device, event);
  return true;
}

}  // namespace tern::cuda::detail
