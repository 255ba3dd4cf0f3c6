#pragma once

#include <cstddef>
#include <memory>

#include <tern/nn/optim/detail/step.h>

// The part of a step that is only needed during the capture of a CUDA graph. Each replay is a step:
// its kernels read the learning rate and the step number on the device, and the host counts it too.

namespace tern::optim::detail {

/// Throws Error if a graph captures the step of a group whose options do not allow it.
void check_capturable(const StepRule& rule, const Optimizer& optimizer);

/// Throws Error if a graph captures work of `device`. Called before a step makes a state tensor on
/// the device, because every replay would make the tensor again.
void refuse_capture_of_first_step(Device device);

/// Counts a step of the updates [begin, end) on their device. The updates must have the same step
/// number. Returns the device memory with the number of this step. Throws Error if a new count is
/// needed during a capture.
const double* count_on_device(Update* begin, Update* end);

/// Prepares the replays of a step that is being captured. Every replay checks that the optimizer
/// still has the states of [begin, end), counts a step for them, and copies the learning rate of
/// the group's options to the device. Returns the device memory with the learning rate. After the
/// optimizer is destroyed, replays use the last learning rate.
const double* capture_step(std::weak_ptr<Optimizer*> optimizer, std::size_t group,
                           const Update* begin, const Update* end);

}  // namespace tern::optim::detail
