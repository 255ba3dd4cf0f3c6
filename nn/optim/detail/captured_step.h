#pragma once

#include <cstddef>
#include <memory>

#include <tern/nn/optim/detail/fused_step.h>

// What is special in a step that a CUDA graph captures: each replay is a step. It reads the
// learning rate and the number of the step on the device, and the host counts it too.

namespace tern::optim::detail {

/// Throws Error if a graph captures the step of a group whose options do not allow it.
void check_capturable(const FusedOptimizer& fused, const Optimizer& optimizer);

/// Throws Error if a graph captures work of `device`. Called before a state tensor is made there,
/// because every replay would make that tensor again.
void refuse_capture_of_first_step(Device device);

/// Counts the step of [begin, end), which have taken the same number of steps, on their device.
/// Returns the device memory with the number of this step. Throws Error if a capture would have to
/// make a new count.
const double* count_on_device(Update* begin, Update* end);

/// For a step that is being captured: lets every replay check that the optimizer still has the
/// states of [begin, end), count a step for them, and set the learning rate to that of the group's
/// options. Returns the device memory with the learning rate. Once the optimizer is gone, replays
/// keep the last learning rate.
const double* capture_step(const FusedOptimizer& fused, std::weak_ptr<Optimizer*> optimizer,
                           std::size_t group, const Update* begin, const Update* end);

}  // namespace tern::optim::detail
