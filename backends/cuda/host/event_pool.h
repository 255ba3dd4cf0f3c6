#pragma once

#include <tern/core/tensor/device.h>

// Events of each device for those who wait for streams; kept, because making one costs more than
// recording it. Thread-safe.

namespace tern::cuda::detail {

/// An event that marks the end of the work that `stream`, one of `device`, has now.
void* record_event(DeviceIndex device, void* stream);

/// Gives back an event of record_event that nobody waits for any more.
void keep_event(DeviceIndex device, void* event);

/// Gives the event back if its stream has passed it, with `wait` when it has; true if so.
bool collect_event(DeviceIndex device, void* event, bool wait = false);

}  // namespace tern::cuda::detail
