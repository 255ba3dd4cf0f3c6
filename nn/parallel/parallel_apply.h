#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <tern/core/tensor/device.h>

namespace tern::nn::parallel {

/// Runs task(i) for each device at the same time, each in a thread whose current device is
/// devices[i]; grad mode and current streams are the caller's. When all have ended, throws what the
/// first of them threw.
TERN_API void parallel_apply(const std::vector<Device>& devices,
                             const std::function<void(std::size_t)>& task);

}  // namespace tern::nn::parallel
