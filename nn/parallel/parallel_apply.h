#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <tern/core/tensor/device.h>

namespace tern::nn::parallel {

/// Runs task(i) for all devices at the same time, each on its own thread. The current device of the
/// thread is devices[i]; its grad mode, autocast and current streams are those of the caller. After
/// all tasks have ended, throws the error of the failed task with the smallest i.
TERN_API void parallel_apply(const std::vector<Device>& devices,
                             const std::function<void(std::size_t)>& task);

}  // namespace tern::nn::parallel
