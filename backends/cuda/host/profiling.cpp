#include <mutex>
#include <thread>
#include <vector>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/plugin_call.h>

// What profiles need: ranges for NVIDIA's tools, and times on the devices.

namespace tern::cuda {
namespace {

using kernels::PluginStatus;
using kernels::StatusCode;

/// Events with timing that nobody uses.
struct IdleTimers {
  std::mutex mutex;
  std::vector<void*> events;
};
IdleTimers& idle_timers(DeviceIndex device) {
  static IdleTimers* const all = new IdleTimers[kMaxDevices];
  return all[device];
}

void* take_timer(DeviceIndex device) {
  IdleTimers& idle = idle_timers(device);
  {
    const std::lock_guard lock(idle.mutex);
    if (!idle.events.empty()) {
      void* const event = idle.events.back();
      idle.events.pop_back();
      return event;
    }
  }
  PluginStatus status;
  constexpr std::uint32_t kTiming = 0;  // cudaEventDefault
  void* const event = detail::plugin().event_create(device, kTiming, &status);
  return status.code == StatusCode::kOk ? event : nullptr;
}

void keep_timer(DeviceIndex device, void* event) noexcept {
  try {
    IdleTimers& idle = idle_timers(device);
    const std::lock_guard lock(idle.mutex);
    idle.events.push_back(event);
  } catch (...) {
    PluginStatus ignored;
    detail::plugin().event_destroy(event, &ignored);
  }
}

// Polls, because event_synchronize would consume the error of a kernel, which belongs to the user.
bool passes(void* event) {
  PluginStatus status;
  while (detail::plugin().event_query(event, &status) == 0) {
    if (status.code != StatusCode::kOk) return false;
    std::this_thread::yield();
  }
  return status.code == StatusCode::kOk;
}

}  // namespace

const kernels::RangeCalls* CudaBackend::ranges() {
  static const kernels::RangeCalls calls = {detail::plugin().range_push, detail::plugin().range_pop,
                                            detail::plugin().range_mark};
  return &calls;
}

void* CudaBackend::record_time(DeviceIndex device) noexcept {
  try {
    void* const event = take_timer(device);
    if (event == nullptr) return nullptr;
    PluginStatus status;
    detail::plugin().event_record(event, stream(device), &status);
    if (status.code == StatusCode::kOk) return event;
    keep_timer(device, event);
  } catch (...) {
    // The kernel remains without a time.
  }
  return nullptr;
}

std::int64_t CudaBackend::take_elapsed(DeviceIndex device, void* start, void* end) noexcept {
  std::int64_t nanoseconds = 0;
  try {
    PluginStatus status;
    if (start != nullptr && end != nullptr && passes(start) && passes(end)) {
      const double milliseconds = detail::plugin().event_elapsed(start, end, &status);
      if (status.code == StatusCode::kOk) {
        nanoseconds = static_cast<std::int64_t>(milliseconds * 1e6);
      }
    }
  } catch (...) {
    // Not measured.
  }
  for (void* event : {start, end}) {
    if (event != nullptr) keep_timer(device, event);
  }
  return nanoseconds;
}

}  // namespace tern::cuda
