#pragma once

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>

namespace tern::kernels {

/// What a kind of device does that the CPU does not. Ask for the property, not for the kind.
struct DeviceTraits {
  /// Devices are told apart by an index.
  bool has_indices = false;
  /// Kernels may run after their call returns: who reads a result waits, and errors come late.
  bool queues_work = false;
  /// A device draws random numbers from a generator of its own.
  bool has_generators = false;
  /// Work can be captured into a graph.
  bool captures_graphs = false;
  /// Kernels that add to one element from several threads do so in no fixed order.
  bool adds_in_any_order = false;
  /// The name in types of tensors as PyTorch prints them: CUDAFloatType.
  const char* type_prefix = "CPU";
};

/// Returns what devices of this kind do. Declared here and defined in backends/builtin.cpp, which
/// knows the backends.
TERN_API const DeviceTraits& traits_of(Device device);

}  // namespace tern::kernels
