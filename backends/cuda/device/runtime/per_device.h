#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace tern::cuda::device {

/// Returns the T of a device. Never destroyed: at the end of the process the driver may already be
/// gone.
template <class T>
T& per_device(std::int32_t device) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::int32_t, T>;
  const std::lock_guard lock(mutex);
  return all[device];
}

}  // namespace tern::cuda::device
