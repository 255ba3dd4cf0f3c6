#include <mutex>
#include <utility>
#include <vector>

#include <tern/core/base/detail/profile_recorder.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>

namespace tern::kernels {
namespace {

/// A kernel whose time on its device is not known yet.
struct TimedKernel {
  tern::detail::ProfileEvent* event;
  std::uint32_t recording;
  Backend* backend;
  DeviceIndex device;
  void* start;
  void* end;
};

struct TimedKernels {
  std::mutex mutex;
  std::vector<TimedKernel> kernels;
};
// Never destroyed: kernels may run until the process ends.
TimedKernels& timed_kernels() {
  static TimedKernels& all = *new TimedKernels;
  return all;
}

std::vector<TimedKernel> take_timed_kernels() {
  const std::lock_guard lock(timed_kernels().mutex);
  return std::exchange(timed_kernels().kernels, {});
}

void remember(const TimedKernel& kernel) noexcept {
  try {
    const std::lock_guard lock(timed_kernels().mutex);
    timed_kernels().kernels.push_back(kernel);
  } catch (...) {
    kernel.backend->take_elapsed(kernel.device, kernel.start, kernel.end);
  }
}

}  // namespace

void detail::run_profiled(Backend& backend, KernelFn kernel, Slot slot, DeviceType device,
                          const void* args, KernelContext* context) {
  tern::detail::ProfileScope scope(tern::detail::ProfileKind::kKernel, slot_name(slot));
  tern::detail::ProfileEvent* const event = scope.event();
  const auto index = static_cast<DeviceIndex>(context->device);
  if (event != nullptr) {
    event->device.store(tern::detail::profile_device(static_cast<int>(device),
                                                     traits_of(device).has_indices ? index : -1),
                        std::memory_order_relaxed);
  }
  // Events of a capture have no time.
  const bool timed = event != nullptr &&
                     tern::detail::is_profiled(tern::detail::kProfileDeviceTime) &&
                     backend.capture(index) == nullptr;
  const std::uint32_t recording = event == nullptr ? 0 : scope.recording();
  void* const start = timed ? backend.record_time(index) : nullptr;
  kernel(args, context);
  scope.end();
  if (start == nullptr) return;
  remember({event, recording, &backend, index, start, backend.record_time(index)});
}

void take_device_times(std::uint32_t number) noexcept {
  for (const TimedKernel& each : take_timed_kernels()) {
    const std::int64_t time = each.backend->take_elapsed(each.device, each.start, each.end);
    // The events of an older recording may be freed: a kernel can end after its recording.
    if (each.recording == number) each.event->value.store(time, std::memory_order_relaxed);
  }
}

}  // namespace tern::kernels
