#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <tern/backends/sim/capture.h>
#include <tern/backends/sim/failure.h>
#include <tern/backends/sim/memory.h>
#include <tern/backends/sim/reuse.h>
#include <tern/backends/sim/stream.h>
#include <tern/core/kernels/plugin.h>

namespace tern::sim {

/// One simulated device.
struct SimDevice {
  explicit SimDevice(int physical, std::size_t bytes) : ordinal(physical), memory(bytes) {}

  int ordinal;               // number before CUDA_VISIBLE_DEVICES chose and renumbered
  bool has_context = false;  // a call has started the device
  DeviceMemory memory;
  Reuse reuse;
  std::vector<std::unique_ptr<Stream>> streams;
  Failure error{StatusCode::kOk, ""};  // first error of queued work, until it is reported
  Failure lost{StatusCode::kOk, ""};   // fault after which the device does nothing more
};

/// The simulated machine. Callers must hold `mutex`, except in functions for signal handlers.
class Simulator {
 public:
  /// Returns the machine, which `start` makes once and nobody destroys.
  static Simulator& get();
  /// Builds the machine from the host's request and the environment. Throws Failure with the reason
  /// if there is no device to offer.
  static void start(const kernels::PluginHost& host);

  std::mutex mutex;

  int device_count() const { return static_cast<int>(devices_.size()); }
  /// Returns a device. Throws Failure if the ordinal does not exist.
  SimDevice& device(std::int32_t index);
  /// Returns a device and marks it as started. Throws Failure also for a lost device.
  SimDevice& started(std::int32_t index);
  /// Returns the device that owns the address, or -1 for host memory. Safe in a signal handler.
  std::int32_t owner(const void* address) const;
  /// Describes the owner of an address: "memory of cuda:1", "host memory".
  std::string describe(const void* address) const;
  const kernels::PluginHost& host() const { return host_; }

  /// Checks the bytes from `first` to `last` around `pointer`; see Reuse.
  bool allows_use(const Stream& stream, std::int32_t device, const void* pointer,
                  std::int64_t first, std::int64_t last);

  /// Stores an error of queued work, unless there is an earlier one.
  void keep_error(std::int32_t device, Failure failure);
  bool is_lost(std::int32_t index) { return device(index).lost.code != StatusCode::kOk; }
  /// Marks the device as lost: all later calls for it fail.
  void lose(std::int32_t device, const char* cause);
  /// Throws the stored error of the device and forgets it.
  void throw_error(std::int32_t device);
  /// CUDA_LAUNCH_BLOCKING=1: all work runs immediately.
  bool launches_block() const { return launches_block_; }

  /// Allocates pinned host memory.
  void* allocate_host(std::size_t bytes);
  void release_host(void* pointer);
  bool is_pinned(const void* pointer, std::size_t bytes) const;

  /// Counts down the injected faults. Returns true if this call must fail.
  bool fault_due(kernels::PluginFault fault);
  void inject(kernels::PluginFault fault, std::int64_t n);

  /// Runs all queued work of a device. Throws Failure if a capture has a stream of the device.
  void drain(std::int32_t device);

  /// Starts a capture on `stream`.
  void begin_capture(Stream& stream);
  /// Throws Failure if the calling thread captures: CUDA then treats some calls as unsafe.
  void refuse_while_capturing();

 private:
  explicit Simulator(const kernels::PluginHost& host);

  kernels::PluginHost host_;
  bool launches_block_ = false;
  std::vector<std::unique_ptr<SimDevice>> devices_;
  std::map<const char*, std::size_t> pinned_;
  std::uint64_t captures_ = 0;
  std::vector<std::weak_ptr<Capture>> capturing_;
  std::array<std::int64_t, static_cast<std::size_t>(kernels::PluginFault::kCount)> faults_{};
};

}  // namespace tern::sim
