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

  int ordinal;               // before CUDA_VISIBLE_DEVICES chose and renumbered
  bool has_context = false;  // a call has started the device
  DeviceMemory memory;
  Reuse reuse;
  std::vector<std::unique_ptr<Stream>> streams;
  Failure error{StatusCode::kOk, ""};  // the first of queued work, until somebody hears of it
  Failure lost{StatusCode::kOk, ""};   // the fault after which the device does nothing any more
};

/// The simulated machine. Callers hold `mutex` in all but the functions for signal handlers.
class Simulator {
 public:
  /// Made once, by `start`, and never destroyed.
  static Simulator& get();
  /// Builds the machine from the host's wishes and the environment. Throws Failure with the reason
  /// when there is no device to offer.
  static void start(const kernels::PluginHost& host);

  std::mutex mutex;

  int device_count() const { return static_cast<int>(devices_.size()); }
  /// Throws Failure for an ordinal that does not exist.
  SimDevice& device(std::int32_t index);
  /// The device for a call that starts it. Throws Failure for a device that is lost, too.
  SimDevice& started(std::int32_t index);
  /// The device around the address, or -1: host memory. Safe in a signal handler.
  std::int32_t owner(const void* address) const;
  /// In words: "memory of cuda:1", "host memory".
  std::string describe(const void* address) const;
  const kernels::PluginHost& host() const { return host_; }

  /// See Reuse; for the bytes from `first` to `last` around `pointer`.
  bool allows_use(const Stream& stream, std::int32_t device, const void* pointer,
                  std::int64_t first, std::int64_t last);

  /// Remembers what went wrong in queued work, unless something did before.
  void keep_error(std::int32_t device, Failure failure);
  bool is_lost(std::int32_t index) { return device(index).lost.code != StatusCode::kOk; }
  /// From now on all calls for the device fail.
  void lose(std::int32_t device, const char* cause);
  /// Throws the remembered error of the device once.
  void throw_error(std::int32_t device);
  /// CUDA_LAUNCH_BLOCKING=1: all work runs at once.
  bool launches_block() const { return launches_block_; }

  /// Pinned host memory.
  void* allocate_host(std::size_t bytes);
  void release_host(void* pointer);
  bool is_pinned(const void* pointer, std::size_t bytes) const;

  /// Counts down the injected faults; true when this call shall fail.
  bool fault_due(kernels::PluginFault fault);
  void inject(kernels::PluginFault fault, std::int64_t n);

  /// Runs everything that is queued on a device. Throws Failure while a capture has a stream there.
  void drain(std::int32_t device);

  /// Lets `stream` record from now on.
  void begin_capture(Stream& stream);
  /// Throws Failure when the calling thread captures: CUDA holds some calls unsafe then.
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
