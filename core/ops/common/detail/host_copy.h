#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Returns the numbers of a tensor of the host, which an op just made, on a device. A capture into
/// a graph keeps them in pinned memory, and each replay copies them again.
Tensor copy_of_host(const Tensor& host, Device device);

}  // namespace tern::detail
