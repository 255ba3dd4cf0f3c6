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

/// Eight-byte numbers in device memory that the kernels of a graph read and the host writes before
/// a replay. The memory belongs to the graph but to no pool, so no replay overwrites it.
class GraphNumbers {
 public:
  /// Allocates `count` numbers, ordered after the work of the current stream of `device`.
  GraphNumbers(DeviceIndex device, std::size_t count);
  ~GraphNumbers();
  GraphNumbers(const GraphNumbers&) = delete;
  GraphNumbers& operator=(const GraphNumbers&) = delete;

  void* data() const { return data_; }
  /// Queues the writing of number `k` on the current stream, unless the number has this value.
  void write(std::size_t k, std::uint64_t bits);
  /// Sets the value that number `k` will have for later work of the stream; nullopt: not known.
  void expect(std::size_t k, std::optional<std::uint64_t> bits) { known_[k] = bits; }

 private:
  DeviceIndex device_;
  void* data_;
  std::vector<std::optional<std::uint64_t>> known_;
};

/// The host's part of a graph: filled during the capture, used by each replay.
class Recording final : public kernels::GraphCapture {
 public:
  /// From here on the allocators postpone what the driver refuses during a capture on `stream`.
  Recording(std::uint64_t pool_, Stream stream_);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::uint64_t capture = 0;  // the plugin's number of the capture
  const std::uint64_t pool;
  const Stream stream;       // where the capture began
  const void* const thread;  // the thread that began the capture

  /// Adds a further stream, of any device, whose work the capture records.
  void join(Stream joined);
  /// Ends the capture for the allocators. Does nothing the second time.
  void end();

  void reserve_numbers(Generator& generator, std::uint64_t blocks,
                       kernels::RandomArgs& args) override;
  const double* graph_number(DeviceIndex device, std::function<double()> value) override;
  void after_replay(DeviceIndex device, std::function<void()> hook) override;

  /// Records the last work of the capture: it advances the random offsets for the next replay.
  void finish_capture();
  /// Queues the writes that precede a replay on the current stream, calls `launch`, and runs the
  /// hooks on the host. If something throws, the generators keep their offsets.
  void replay(const std::function<void()>& launch);

 private:
  struct Draws {
    explicit Draws(Generator source)
        : generator(std::move(source)), seed_and_offset(generator.device().index(), 2) {}
    Generator generator;
    GraphNumbers seed_and_offset;
    std::uint64_t words = 0;              // random words that one replay draws
    std::optional<std::uint64_t> from{};  // offset of the replay that is being queued
  };
  struct Number {
    Number(std::function<double()> source, DeviceIndex device)
        : value(std::move(source)), memory(device, 1) {}
    std::function<double()> value;
    GraphNumbers memory;
  };
  void check_device(DeviceIndex device) const;
  void write_numbers();
  void take_back_draws();

  std::mutex mutex_;             // guards streams_: other threads may add work to the capture
  std::vector<Stream> streams_;  // streams of the capture, until it ends
  std::list<Draws> draws_;
  std::list<Number> numbers_;
  std::vector<std::function<void()>> hooks_;
};

/// The number of captures that are active in the process.
TERN_API extern std::atomic<int> recordings;

/// Returns the recording that captures the stream's work; null if the stream runs its work.
TERN_API Recording* find_recording(void* stream);
inline Recording* recording_on(void* stream) {
  return recordings.load(std::memory_order_acquire) == 0 ? nullptr : find_recording(stream);
}

/// Returns true if the work of any stream of the device is captured.
bool captures_on(DeviceIndex device);
/// Returns true if the calling thread captures: CUDA then refuses event queries and freeing memory.
bool captures_here();
/// Adds `stream` to the capture of `origin`, if any. Called before `stream` waits for work of
/// `origin`.
void spread_capture(Stream origin, Stream stream);

/// Makes `recording` findable until remove_recording().
void add_recording(Recording& recording);
void remove_recording(Recording& recording);

}  // namespace tern::cuda::detail
