#pragma once

#include <thread>
#include <vector>

#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/core/tensor/device.h>

namespace tern::cuda::detail {

/// Events of one device for allocators that wait for streams; kept, because making one costs more
/// than recording it. Not thread-safe.
class EventPool {
 public:
  explicit EventPool(DeviceIndex device) : device_(device) {}

  /// An event that marks the end of the work that `stream` has now.
  void* record(void* stream) {
    if (idle_.empty()) idle_.push_back(call(&kernels::Plugin::event_create, device_, 0));
    call(&kernels::Plugin::event_record, idle_.back(), stream);
    void* event = idle_.back();
    idle_.pop_back();
    return event;
  }

  /// Takes the events that have passed out of `events`; all of them with `wait`. It asks again and
  /// again then: event_synchronize would take the error of a kernel, which is the user's to hear.
  void collect(std::vector<void*>& events, bool wait) {
    while (!events.empty()) {
      void* event = events.back();
      while (call(&kernels::Plugin::event_query, event) == 0) {
        if (!wait) return;
        std::this_thread::yield();
      }
      events.pop_back();
      idle_.push_back(event);
    }
  }

 private:
  DeviceIndex device_;
  std::vector<void*> idle_;
};

}  // namespace tern::cuda::detail
