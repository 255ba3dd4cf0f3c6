#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/generator.h>

namespace tern::data {

/// Says which worker of a DataLoader runs on this thread.
struct WorkerInfo {
  /// The number of the worker, from 0.
  std::size_t id;
  /// The number of workers of the loader.
  std::size_t num_workers;
  /// The seed of the batch that the worker fetches now.
  std::uint64_t seed;
};

/// Returns the worker of this thread; nullopt on threads that are no workers.
TERN_API std::optional<WorkerInfo> get_worker_info();

/// Returns the generator that random transforms draw from. While a DataLoader fetches a batch, this
/// is a private generator of the batch, whose seed depends on the loader's seed, the epoch and the
/// number of the batch alone. So the same program draws the same numbers with any number of
/// workers. Elsewhere it is the CPU's default generator.
///
/// Example:
///   data::Example<> get(std::size_t i) override {
///     return {images[i] + 0.1 * tern::randn_like(images[i], data::worker_generator()), labels[i]};
///   }
TERN_API Generator worker_generator();

namespace detail {

/// Returns the seed of a batch, of which a generator uses the low 32 bits.
TERN_API std::uint64_t batch_seed(std::uint64_t seed, std::size_t epoch, std::size_t batch);

/// Makes worker_generator() private to a batch while the object exists.
class TERN_API BatchScope {
 public:
  /// `worker` is nullopt on the thread of the loader itself.
  BatchScope(std::uint64_t seed, std::optional<std::size_t> worker, std::size_t num_workers);
  /// Restores what was before.
  ~BatchScope();
  BatchScope(const BatchScope&) = delete;
  BatchScope& operator=(const BatchScope&) = delete;

 private:
  friend std::optional<WorkerInfo> tern::data::get_worker_info();
  friend Generator tern::data::worker_generator();
  WorkerInfo info_;
  bool is_worker_;
  std::optional<Generator> generator_;  // made by the first use
  BatchScope* outer_;
};

}  // namespace detail
}  // namespace tern::data
