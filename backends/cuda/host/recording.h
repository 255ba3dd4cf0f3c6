#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tern/backends/cuda/host/stream.h>
#include <tern/core/kernels/graph_capture.h>
#include <tern/core/tensor/generator.h>

namespace tern::cuda::detail {

/// Eight-byte numbers in device memory that kernels of a graph read, and that the host writes
/// before a replay. The memory is the graph's, in no pool: no replay of any graph writes to it.
class GraphNumbers {
 public:
  /// Memory for `count` numbers, ordered after the work of the current stream of `device`.
  GraphNumbers(DeviceIndex device, std::size_t count);
  ~GraphNumbers();
  GraphNumbers(const GraphNumbers&) = delete;
  GraphNumbers& operator=(const GraphNumbers&) = delete;

  void* data() const { return data_; }
  /// Queues the writing of number `k` on the current stream, unless that is what it is.
  void write(std::size_t k, std::uint64_t bits);
  /// Says what number `k` will be for later work of the stream; nothing: that is not known.
  void expect(std::size_t k, std::optional<std::uint64_t> bits) { known_[k] = bits; }

 private:
  DeviceIndex device_;
  void* data_;
  std::vector<std::optional<std::uint64_t>> known_;
};

/// What the host remembers of a graph: filled while it is captured, used at each replay.
class Recording final : public kernels::GraphCapture {
 public:
  /// From now on the allocators hold back what the driver refuses during a capture on `stream`.
  Recording(std::uint64_t pool_, Stream stream_);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::uint64_t capture = 0;  // the plugin's number
  const std::uint64_t pool;
  const Stream stream;       // where the capture began
  const void* const thread;  // that began the capture

  /// The capture records the work of a further stream, of any device.
  void join(Stream joined);
  /// The capture has ended: the allocators hold nothing back any more. Does nothing the second
  /// time.
  void end();

  void reserve_numbers(Generator& generator, std::uint64_t blocks,
                       kernels::RandomArgs& args) override;
  const double* graph_number(DeviceIndex device, std::function<double()> value) override;
  void after_replay(DeviceIndex device, std::function<void()> hook) override;

  /// Records the last work of the capture: each replay leaves the offsets that the next one needs.
  void finish_capture();
  /// Queues on the current stream what comes before `launch`, calls it, and does on the host what a
  /// replay does there. When something throws, the generators stand where they stood.
  void replay(const std::function<void()>& launch);

 private:
  struct Draws {
    explicit Draws(Generator source)
        : generator(std::move(source)), seed_and_offset(generator.device().index(), 2) {}
    Generator generator;
    GraphNumbers seed_and_offset;
    std::uint64_t words = 0;              // by which one replay moves the offset
    std::optional<std::uint64_t> from{};  // where the replay that is being queued draws
  };
  struct Number {
    Number(std::function<double()> source, DeviceIndex device)
        : value(std::move(source)), place(device, 1) {}
    std::function<double()> value;
    GraphNumbers place;
  };
  void check_device(DeviceIndex device) const;
  void write_numbers();
  void take_back_draws();

  std::mutex mutex_;             // of streams_: other threads may give work to the capture
  std::vector<Stream> streams_;  // of the capture, while it goes on
  std::list<Draws> draws_;
  std::list<Number> numbers_;
  std::vector<std::function<void()>> hooks_;
};

/// How many captures go on in the process.
TERN_API extern std::atomic<int> recordings;

/// The recording that the work of a stream goes to; null when the stream runs its work.
TERN_API Recording* find_recording(void* stream);
inline Recording* recording_on(void* stream) {
  return recordings.load(std::memory_order_acquire) == 0 ? nullptr : find_recording(stream);
}

/// Whether work of any stream of the device is captured.
bool captures_on(DeviceIndex device);
/// Whether the calling thread captures: CUDA then refuses it to ask events and to free memory.
bool captures_here();
/// Called before `stream` waits for work of `origin`: `stream` joins the capture of that work.
void spread_capture(Stream origin, Stream stream);

/// From the first call to the second, `recording` is found.
void add_recording(Recording& recording);
void remove_recording(Recording& recording);

}  // namespace tern::cuda::detail
