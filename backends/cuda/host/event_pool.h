#pragma once

#include <tern/core/tensor/device.h>

// A pool of events per device. Events are reused, because creating one costs more than recording
// it. Thread-safe.

namespace tern::cuda::detail {

/// Returns an event behind the present work of `stream`, a stream of `device`.
void* record_event(DeviceIndex device, void* stream);

/// Returns to the pool an event of record_event that nobody waits for.
void keep_event(DeviceIndex device, void* event);

/// Returns the event to the pool if its stream has passed it; with `wait`, waits until it has.
/// Returns true if the event went back to the pool.
bool collect_event(DeviceIndex device, void* event, bool wait = false);

}  // namespace tern::cuda::detail
