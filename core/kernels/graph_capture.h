#pragma once

#include <cstdint>
#include <functional>

#include <tern/core/tensor/device.h>

namespace tern {
class Generator;
}

namespace tern::kernels {

struct RandomArgs;

/// A graph while it is captured: work is recorded, with its arguments frozen, and runs at each
/// replay. Only backends with graphs have captures; see Backend::capture().
class GraphCapture {
 public:
  /// Lets `hook` run on the host after every replay was queued, for work of `device`. Throws
  /// NotImplementedError when the capture began on another device.
  virtual void after_replay(DeviceIndex device, std::function<void()> hook) = 0;
  /// Returns device memory of `device` for a number that kernels of the graph read. Before every
  /// replay the number becomes what `value` returns; a replay throws what `value` throws.
  /// Throws NotImplementedError when the capture began on another device.
  virtual const double* graph_number(DeviceIndex device, std::function<double()> value) = 0;
  /// Reserves `blocks` blocks of the generator, whose mutex the caller holds, for each replay, and
  /// writes into `args` where the kernel finds seed and offset. Throws NotImplementedError when the
  /// capture began on another device than the generator's.
  virtual void reserve_numbers(Generator& generator, std::uint64_t blocks, RandomArgs& args) = 0;

 protected:
  ~GraphCapture() = default;
};

}  // namespace tern::kernels
