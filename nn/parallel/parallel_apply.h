#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <tern/core/tensor/device.h>

namespace tern::nn::parallel {

/// Runs task(i) for all devices at the same time, each on a thread whose current device is
/// devices[i]; grad mode and current streams are the caller's. After all tasks have ended, throws
/// the error of the first task that failed.
TERN_API void parallel_apply(const std::vector<Device>& devices,
                             const std::function<void(std::size_t)>& task);

}  // namespace tern::nn::parallel
