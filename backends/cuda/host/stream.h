#pragma once

#include <cstdint>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>

namespace tern::cuda {

namespace detail {
struct StreamState;
}

/// A queue of work on one device: what is given to one stream runs in order, streams run side by
/// side. A handle; copies mean the same stream. Streams live as long as the process.
///
/// Each device has a default stream, which is tern's own: work that other libraries give to CUDA's
/// legacy stream is not ordered with it.
class TERN_API Stream {
 public:
  explicit Stream(const detail::StreamState* state) : state_(state) {}

  DeviceIndex device_index() const;
  Device device() const { return Device(kCUDA, device_index()); }
  /// 0 for the default stream of the device, 1 and up for those of the pool.
  std::int64_t id() const;
  /// True when all its work is done.
  bool query() const;
  /// Waits for its work. Throws what went wrong in it.
  void synchronize() const;
  /// The CUDA stream, for libraries that work with one.
  void* stream() const;

  friend bool operator==(Stream a, Stream b) { return a.state_ == b.state_; }

 private:
  friend TERN_API void setCurrentCUDAStream(Stream stream);
  const detail::StreamState* state_;
};
using CUDAStream = Stream;

/// The stream where the calling thread's work for `device` (-1: the current one) runs.
TERN_API Stream getCurrentCUDAStream(DeviceIndex device = -1);
TERN_API Stream getDefaultCUDAStream(DeviceIndex device = -1);
/// One of 32 streams per device and priority, handed out in turn.
TERN_API Stream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1);
/// Makes `stream` the calling thread's stream for its device; the current device stays.
TERN_API void setCurrentCUDAStream(Stream stream);

/// Makes a stream and its device current for this scope; restores both, also on throw.
class TERN_API StreamGuard {
 public:
  explicit StreamGuard(Stream stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  Stream current_stream() const { return current_; }

 private:
  Stream current_, previous_;
  DeviceIndex previous_device_;
};
using CUDAStreamGuard = StreamGuard;

/// A place in a stream that others can wait for. Made on the device of its first record.
class TERN_API Event {
 public:
  /// With `timing`, elapsed_time can measure between two of them.
  explicit Event(bool timing = false) : timing_(timing) {}
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  bool is_created() const { return event_ != nullptr; }
  /// Marks the place after all work that the stream (the current one) has been given so far.
  void record();
  void record(Stream stream);
  /// Lets later work of `stream` wait for the marked place, on any device. Nothing if not recorded.
  void block(Stream stream) const;
  /// True when the place has been passed, or was never marked.
  bool query() const;
  /// Waits until the place has been passed.
  void synchronize() const;
  /// Milliseconds from this event to `end`; both have timing, were recorded and are done.
  float elapsed_time(const Event& end) const;

 private:
  void* event_ = nullptr;
  DeviceIndex device_ = -1;
  bool timing_;
};
using CUDAEvent = Event;

}  // namespace tern::cuda
