#pragma once

#include <tern/core/kernels/backend.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Tells the allocator that the current stream will use the memory of `tensor`. The memory may
/// belong to another stream, and the graph may free it as soon as the work is queued.
inline void use_on_current_stream(const Tensor& tensor) {
  if (!tensor.defined() || tensor.is_cpu()) [[likely]]
    return;
  const Device device = tensor.device();
  kernels::backend_of(device.type())
      .record_current_stream(tensor.self().storage->data(), device.index());
}

}  // namespace tern::autograd
