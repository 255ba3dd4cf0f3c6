#pragma once

#include <cstdint>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>

namespace tern::cuda {

namespace detail {
struct StreamState;

/// The current devices of a thread: tern's, and that of the CUDA runtime, on which a program
/// launches its own kernels. They differ if a program calls cudaSetDevice itself.
struct CurrentDevice {
  DeviceIndex device = -1;  // -1: nothing to restore
  std::int32_t runtime = 0;
};

/// Returns true once a stream other than the default ones exists.
bool has_pool_streams();
}  // namespace detail

/// A queue of work on one device. The work of one stream runs in order; different streams run side
/// by side. A Stream is a handle: copies mean the same stream. Streams live as long as the process.
///
/// Each device has a default stream, which is tern's own: the work that other libraries give to
/// CUDA's legacy stream is not ordered with it.
class TERN_API Stream {
 public:
  /// Wraps the state of a stream; for tern's own use.
  explicit Stream(const detail::StreamState* state) : state_(state) {}

  /// Returns the number of the device.
  DeviceIndex device_index() const;
  /// Returns the device.
  Device device() const { return Device(kCUDA, device_index()); }
  /// Returns 0 for the default stream of the device, 1 and up for streams of the pool.
  std::int64_t id() const;
  /// Returns true when all work of the stream is done.
  bool query() const;
  /// Waits for all work of the stream. Throws the error of that work.
  void synchronize() const;
  /// Returns the CUDA stream (cudaStream_t), for other libraries.
  void* stream() const;

  /// Returns true when both are the same stream.
  friend bool operator==(Stream a, Stream b) { return a.state_ == b.state_; }

 private:
  friend TERN_API void setCurrentCUDAStream(Stream stream);
  friend class Event;
  const detail::StreamState* state_;
};
/// libtorch's name of Stream.
using CUDAStream = Stream;

/// Returns the calling thread's current stream for `device`; -1 means the current device.
TERN_API Stream getCurrentCUDAStream(StrictDeviceIndex device = -1);
/// Returns the default stream of `device`; -1 means the current device.
TERN_API Stream getDefaultCUDAStream(StrictDeviceIndex device = -1);
/// Returns the next of 32 streams per device and priority, in turn; -1 means the current device.
TERN_API Stream getStreamFromPool(StrictBool high_priority = false, StrictDeviceIndex device = -1);
/// Makes `stream` the calling thread's current stream for its device. The current device stays.
TERN_API void setCurrentCUDAStream(Stream stream);

/// Makes a stream and its device current for a scope and restores both at its end.
class TERN_API StreamGuard {
 public:
  /// Makes the stream and its device current.
  explicit StreamGuard(Stream stream);
  /// Restores stream and device.
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  /// Returns the stream of this guard.
  Stream current_stream() const { return current_; }

 private:
  Stream current_, previous_;
  detail::CurrentDevice previous_device_;
};
/// libtorch's name of StreamGuard.
using CUDAStreamGuard = StreamGuard;

/// A point in a stream that the host and other streams can wait for. The first record() makes the
/// event, on its stream's device.
///
/// Example:
///   cuda::Event ready;
///   ready.record();                    // behind the work so far
///   ready.block(other_stream);         // other_stream waits for it
class TERN_API Event {
 public:
  /// Makes an empty event. With `timing`, elapsed_time() can measure between two events.
  explicit Event(StrictBool timing = false) : flags_(timing ? 0 : kDisableTiming) {}
  /// Frees the event.
  ~Event();
  /// Moves the event.
  Event(Event&& other) noexcept;
  /// Moves the event.
  Event& operator=(Event&& other) noexcept;

  /// Returns true after the first record().
  bool is_created() const { return event_ != nullptr; }
  /// Records the point behind all present work of the stream, by default the current stream.
  void record();
  void record(Stream stream);
  /// Makes later work of `stream`, on any device, wait for the point. Does nothing before record().
  void block(Stream stream) const;
  /// Returns true if the point was passed or never recorded.
  bool query() const;
  /// Waits until the point is passed.
  void synchronize() const;
  /// Returns the milliseconds from this event to `end`. Both must have timing, be recorded and be
  /// done.
  float elapsed_time(const Event& end) const;

 protected:
  /// CUDA's flag for an event without timing, cudaEventDisableTiming.
  static constexpr unsigned kDisableTiming = 2;
  /// CUDA's flags.
  struct Flags {
    /// A sum of flags such as cudaEventDisableTiming.
    unsigned bits;
  };
  /// Makes an event from CUDA's flags.
  explicit Event(Flags flags) : flags_(flags.bits) {}

 private:
  void* event_ = nullptr;
  const detail::StreamState* recorded_on_ = nullptr;  // by the last record()
  unsigned flags_;
};

/// An Event that is made from CUDA's flags, as in libtorch: 0 (cudaEventDefault) measures time, 2
/// (cudaEventDisableTiming, the default) does not; 1 (cudaEventBlockingSync) may be added to both.
class TERN_API CUDAEvent : public Event {
 public:
  /// Makes an event. Throws Error for any other flag.
  explicit CUDAEvent(StrictInteger<unsigned> flags = kDisableTiming);
};

}  // namespace tern::cuda
