#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tern::data {

/// How a DataLoader works. A number converts: it is the batch size.
///
/// Example: DataLoaderOptions(64).workers(2).drop_last(true)
class DataLoaderOptions {
 public:
  DataLoaderOptions() = default;
  DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}

  /// Examples in a batch, 1 unless set; the last batch of an epoch may be smaller.
  DataLoaderOptions& batch_size(std::size_t count) { return set(batch_size_, count); }
  std::size_t batch_size() const { return batch_size_; }

  /// Threads that fetch batches ahead of time; 0, the default: none, the calling thread does it.
  DataLoaderOptions& workers(std::size_t count) { return set(workers_, count); }
  std::size_t workers() const { return workers_; }

  /// How many batches may be fetched ahead; twice the workers unless set.
  DataLoaderOptions& max_jobs(std::size_t count) { return set(max_jobs_, count); }
  std::size_t max_jobs() const { return max_jobs_.value_or(2 * workers_); }

  /// How long to wait for a batch of the workers, as a std::chrono duration; for ever unless set.
  template <class Duration>
  DataLoaderOptions& timeout(Duration limit) {
    using Period = typename Duration::period;
    return set(timeout_ms_,
               static_cast<std::int64_t>(limit.count()) * 1000 * Period::num / Period::den);
  }
  std::optional<std::int64_t> timeout_ms() const { return timeout_ms_; }

  /// Whether batches of several workers come in the sampler's order; true unless set.
  DataLoaderOptions& enforce_ordering(bool on) { return set(enforce_ordering_, on); }
  bool enforce_ordering() const { return enforce_ordering_; }

  /// Whether batches come in pinned memory (see pin_memory.h), for copies to a GPU that run while
  /// the host goes on; false unless set. Without CUDA they stay in ordinary memory.
  DataLoaderOptions& pin_memory(bool on) { return set(pin_memory_, on); }
  bool pin_memory() const { return pin_memory_; }

  /// Whether a last batch that is too small is left out; false unless set.
  DataLoaderOptions& drop_last(bool on) { return set(drop_last_, on); }
  bool drop_last() const { return drop_last_; }

 private:
  template <class T, class Value>
  DataLoaderOptions& set(T& field, Value value) {
    field = value;
    return *this;
  }

  std::size_t batch_size_ = 1;
  std::size_t workers_ = 0;
  std::optional<std::size_t> max_jobs_;
  std::optional<std::int64_t> timeout_ms_;
  bool enforce_ordering_ = true;
  bool drop_last_ = false;
  bool pin_memory_ = false;
};

}  // namespace tern::data
