#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/own_ptr.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/state.h>
#include <tern/nn/data/data_loader_options.h>

namespace tern::data {

namespace detail {

class Workers;

/// The part of a loader that does not depend on the type of the batches.
class TERN_API LoaderCore {
 public:
  LoaderCore(const LoaderCore&) = delete;
  LoaderCore& operator=(const LoaderCore&) = delete;

  /// Ends the worker threads. Afterwards begin() throws Error.
  void join();
  /// Returns the options.
  const DataLoaderOptions& options() const { return options_; }

  /// Returns the position in the epoch after the iterator's batch, with the sampler's state. Throws
  /// Error if batches come in no fixed order (enforce_ordering(false)), NotImplementedError if the
  /// sampler has no state.
  State state_dict() const;
  /// Makes the next begin() continue from `state`. Throws like state_dict(), and Error for the
  /// state of another sampler or of a dataset of another size. If it throws, the loader is
  /// unchanged.
  void load_state_dict(const State& state);

 protected:
  /// A batch of any type; null if a stateful dataset is exhausted.
  using AnyBatch = std::shared_ptr<void>;
  /// Fetches a batch with the dataset of a worker.
  using Fetch = std::function<AnyBatch(std::size_t worker)>;

  /// Throws Error for options that cannot work.
  explicit LoaderCore(const DataLoaderOptions& options);
  virtual ~LoaderCore();

  /// Starts an epoch of the sampler or of the stateful dataset.
  virtual void reset() = 0;
  /// Returns the function that fetches the next batch, and its number of examples; an empty
  /// function at the end of the epoch.
  virtual Fetch next_fetch(std::size_t& examples) = 0;
  /// Returns and loads the state of the sampler, of which `given` examples were delivered.
  virtual State source_state(std::size_t given) const = 0;
  virtual void load_source_state(const State& state, bool in_epoch) = 0;
  /// Continues the epoch of a loaded state.
  virtual void resume() {}

  /// Starts the workers. Derived classes call it at the end of their constructor.
  void start();
  /// Returns the number of copies of the dataset.
  std::size_t copies() const { return options_.workers() > 0 ? options_.workers() : 1; }
  /// Starts an epoch, or continues a loaded one.
  void begin_epoch();
  /// Returns the next batch, or null at the end of the epoch. Throws Error if `epoch` is over.
  AnyBatch next_batch(std::size_t epoch);
  /// Returns the number of begin_epoch().
  std::size_t begun() const { return begun_; }
  /// Returns what expires when the loader is destroyed.
  const std::shared_ptr<void>& life() const { return life_; }

 private:
  void check_has_state() const;
  void prefetch();
  AnyBatch fetch_here();
  AnyBatch pop();

  DataLoaderOptions options_;
  std::size_t begun_ = 0;           // calls of begin()
  std::size_t epoch_ = 0;           // epochs of the program, also before a restart: for the seeds
  std::uint64_t seed_ = 0;          // of this epoch
  std::size_t given_ = 0;           // examples delivered in this epoch
  std::size_t batches_ = 0;         // batches delivered in this epoch
  std::vector<std::size_t> sizes_;  // examples of the batches that the workers fetch
  bool in_epoch_ = false;
  bool resumes_ = false;    // the next begin() continues an epoch
  bool exhausted_ = false;  // a stateful dataset has no more batches
  bool joined_ = false;
  OwnPtr<Workers> workers_;  // null without workers
  std::shared_ptr<void> life_;
};

/// Throws Error unless a batch may be read: `where` says what was tried.
[[noreturn]] TERN_API void raise_past_the_end(const char* where, bool is_end);
/// Throws Error: the loader of an iterator was destroyed.
[[noreturn]] TERN_API void raise_loader_is_gone();
/// Throws IndexError if a sampler gave an index beyond the dataset.
TERN_API void check_indices(const std::vector<std::size_t>& indices,
                            const std::optional<std::size_t>& size);
/// Throws Error: a dataset that cannot be copied needs a loader without workers.
[[noreturn]] TERN_API void raise_not_copyable();
/// Throws Error unless the dataset has a size.
TERN_API std::size_t size_for_sampler(const std::optional<std::size_t>& size);

}  // namespace detail

/// The part that all loaders of one type of batch share: iterators, options, state.
template <class Batch>
class DataLoaderBase : public detail::LoaderCore {
 public:
  /// The type of a batch.
  using BatchType = Batch;
  /// An input iterator over one epoch. Copies share the batch.
  class Iterator;

  /// Starts an epoch, or continues the epoch of a loaded state, and fetches the first batch.
  /// Abandons an epoch that was left early; its iterators throw Error. Throws Error after join().
  Iterator begin() {
    begin_epoch();
    return Iterator(this, begun(), fetch(begun()));
  }
  /// Returns the end of every epoch.
  Iterator end() { return Iterator(this, 0, nullptr); }

 protected:
  using LoaderCore::LoaderCore;

 private:
  std::shared_ptr<Batch> fetch(std::size_t epoch) {
    return std::static_pointer_cast<Batch>(next_batch(epoch));
  }
};

/// An input iterator over one epoch. Copies share the batch.
template <class Batch>
class DataLoaderBase<Batch>::Iterator {
 public:
  /// Types for std::iterator_traits.
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;

  /// Fetches the next batch. Throws Error past the end, for an iterator of an earlier epoch or of a
  /// loader that was destroyed, and the errors of the dataset.
  Iterator& operator++() {
    if (!batch_) detail::raise_past_the_end("increment", epoch_ == 0);
    if (life_.expired()) detail::raise_loader_is_gone();
    batch_ = loader_->fetch(epoch_);
    return *this;
  }
  /// Returns the batch, which may be changed or moved from. Throws Error at the end.
  Batch& operator*() {
    if (!batch_) detail::raise_past_the_end("dereference", epoch_ == 0);
    return *batch_;
  }
  /// Accesses the batch. Throws Error at the end.
  Batch* operator->() { return &**this; }

  /// Returns true if both iterators belong to the same loader, and both or neither are at the end.
  bool operator==(const Iterator& other) const {
    return loader_ == other.loader_ && (batch_ == nullptr) == (other.batch_ == nullptr);
  }

 private:
  friend class DataLoaderBase;
  Iterator(DataLoaderBase* loader, std::size_t epoch, std::shared_ptr<Batch> batch)
      : loader_(loader), life_(loader->life()), epoch_(epoch), batch_(std::move(batch)) {}

  DataLoaderBase* loader_;
  std::weak_ptr<void> life_;  // of the loader
  std::size_t epoch_;         // 0 for end()
  std::shared_ptr<Batch> batch_;
};

}  // namespace tern::data
