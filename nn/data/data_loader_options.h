#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <tern/core/base/strict.h>

namespace tern::data {

/// Options of a DataLoader. A bare number is the batch size. The setters return the options.
///
/// Example:
///   auto options = DataLoaderOptions(64).workers(2).drop_last(true);
class DataLoaderOptions {
 public:
  /// Leaves every option at its default.
  DataLoaderOptions() = default;
  /// Sets the batch size.
  DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}
  template <class T>
  requires tern::detail::kIsBool<T> DataLoaderOptions(T)
  = delete;

  /// The number of examples in a batch; 1 by default. The last batch of an epoch may be smaller.
  DataLoaderOptions& batch_size(StrictInteger<std::size_t> count) {
    return set(batch_size_, count);
  }
  std::size_t batch_size() const { return batch_size_; }

  /// The number of threads that fetch batches ahead. With 0, the default, the calling thread
  /// fetches.
  DataLoaderOptions& workers(StrictInteger<std::size_t> count) { return set(workers_, count); }
  std::size_t workers() const { return workers_; }

  /// The number of batches that may be fetched ahead; twice the workers by default.
  DataLoaderOptions& max_jobs(StrictInteger<std::size_t> count) {
    return set(max_jobs_, std::size_t{count});
  }
  std::size_t max_jobs() const { return max_jobs_.value_or(2 * workers_); }

  /// The longest time that the loader waits for a batch of the workers, as a std::chrono duration;
  /// no limit by default.
  template <class Duration>
  DataLoaderOptions& timeout(Duration limit) {
    using Period = typename Duration::period;
    return set(timeout_ms_,
               static_cast<std::int64_t>(limit.count()) * 1000 * Period::num / Period::den);
  }
  /// Returns the timeout in milliseconds; nullopt means no limit.
  std::optional<std::int64_t> timeout_ms() const { return timeout_ms_; }

  /// True, the default: batches of several workers come in the sampler's order. False: batches come
  /// as soon as they are ready.
  DataLoaderOptions& enforce_ordering(StrictBool on) { return set(enforce_ordering_, on); }
  bool enforce_ordering() const { return enforce_ordering_; }

  /// True: batches are in pinned memory (see data::pin_memory()), so that copies to a GPU run while
  /// the host continues. False by default. Without CUDA, batches stay in pageable memory.
  DataLoaderOptions& pin_memory(StrictBool on) { return set(pin_memory_, on); }
  bool pin_memory() const { return pin_memory_; }

  /// True: a last batch that is smaller than the batch size is dropped. False by default.
  DataLoaderOptions& drop_last(StrictBool on) { return set(drop_last_, on); }
  bool drop_last() const { return drop_last_; }

  /// The seed of the generators that random transforms draw from; see worker_generator(). By
  /// default the seed of the CPU's default generator at the beginning of each epoch, which
  /// manual_seed() sets.
  DataLoaderOptions& seed(StrictInteger<std::uint64_t> number) {
    return set(seed_, std::uint64_t{number});
  }
  std::optional<std::uint64_t> seed() const { return seed_; }

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
  std::optional<std::uint64_t> seed_;
  bool enforce_ordering_ = true;
  bool drop_last_ = false;
  bool pin_memory_ = false;
};

}  // namespace tern::data
