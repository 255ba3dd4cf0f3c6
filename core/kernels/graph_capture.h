#pragma once

#include <cstdint>
#include <functional>

#include <tern/core/tensor/device.h>

namespace tern {
class Generator;
}

namespace tern::kernels {

struct RandomArgs;

/// A graph during its capture: work is recorded with fixed arguments and runs at each replay. Only
/// backends with graphs have captures; see Backend::capture().
class GraphCapture {
 public:
  /// Registers `hook` to run on the host each time a replay has been queued. Throws
  /// NotImplementedError when the capture began on a device other than `device`.
  virtual void after_replay(DeviceIndex device, std::function<void()> hook) = 0;
  /// Returns the device address of a number that kernels of the graph read. Each replay first sets
  /// the number to the result of `value`, and throws the errors of `value`. Throws
  /// NotImplementedError when the capture began on a device other than `device`.
  virtual const double* graph_number(DeviceIndex device, std::function<double()> value) = 0;
  /// Reserves `blocks` blocks of the generator, whose mutex the caller must hold, for each replay.
  /// Writes to `args` where the kernel finds seed and offset. Throws NotImplementedError when the
  /// capture began on a device other than the generator's.
  virtual void reserve_numbers(Generator& generator, std::uint64_t blocks, RandomArgs& args) = 0;

 protected:
  ~GraphCapture() = default;
};

}  // namespace tern::kernels
