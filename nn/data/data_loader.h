#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/profile_scope.h>
#include <tern/nn/data/data_loader_options.h>
#include <tern/nn/data/dataset.h>
#include <tern/nn/data/pin_memory.h>
#include <tern/nn/data/samplers.h>
#include <tern/nn/data/worker_exception.h>
#include <tern/nn/data/workers.h>

namespace tern::data {

namespace detail {
/// The functions that a DataLoader calls on a dataset.
template <class D>
concept BatchSource = requires(D& dataset) {
  typename D::BatchType;
  typename D::BatchRequestType;
  dataset.size();
};
}  // namespace detail

/// Iterates over the batches of a dataset, epoch by epoch. make_data_loader() makes a loader, and
/// every begin() starts an epoch. The state of a loader can be saved and loaded like the state of a
/// module, so training can continue in the middle of an epoch.
///
/// With workers, threads fetch batches ahead, and each thread has its own copy of the dataset. The
/// number and the order of the batches stay the same, but random numbers that a transform draws
/// from the default generator depend on timing. An exception in a worker is rethrown as
/// WorkerException.
///
/// Example:
///   auto loader = make_data_loader(datasets::MNIST(root).map(transforms::Stack<>()), 64);
///   for (Example<>& batch : *loader) train(batch.data, batch.target);
template <class Dataset, class Sampler>
class DataLoader {
  static_assert(detail::BatchSource<Dataset>,
                "A DataLoader needs a dataset: a class that derives from tern::data::Dataset, as "
                "in struct Own : data::Dataset<Own>, and overrides get(std::size_t) and size().");

 public:
  /// The types of a batch and of a request to the dataset.
  using BatchType = typename Dataset::BatchType;
  using BatchRequestType = typename Sampler::BatchRequestType;
  /// An input iterator over one epoch.
  class Iterator;

  /// Joins a dataset, a sampler and options; see make_data_loader(). Throws Error for a batch size
  /// of 0, and for workers with max_jobs 0.
  DataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
      : options_(options),
        sampler_(std::move(sampler)),
        datasets_(copies(), dataset),
        pins_(options.pin_memory() && detail::can_pin()) {
    TERN_CHECK(options.batch_size() > 0, Error, "DataLoader: the batch size must be positive, got ",
               options.batch_size());
    TERN_CHECK(options.workers() == 0 || options.max_jobs() > 0, Error,
               "DataLoader: with workers, max_jobs must be at least 1, got ", options.max_jobs());
    if (options.workers() > 0) {
      workers_.emplace(options.workers(), options.enforce_ordering(), options.timeout_ms());
    }
  }
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  /// Starts an epoch, or continues the epoch of a loaded state. Abandons an epoch that was left
  /// early.
  Iterator begin() {
    TERN_CHECK(!joined_, Error, "DataLoader: begin() cannot be called after join()");
    if (workers_) workers_->clear();
    if (!std::exchange(resumes_, false)) {
      sampler_.reset();
      given_ = 0;
    }
    in_epoch_ = true;
    prefetch();
    return Iterator(this, next());
  }
  /// Returns the end of an epoch.
  Iterator end() { return Iterator(this, std::nullopt); }

  /// Ends the worker threads. Afterwards begin() throws Error.
  void join() {
    joined_ = true;
    workers_.reset();
  }

  /// Returns the options.
  const DataLoaderOptions& options() const { return options_; }

  /// Returns the sampler's state and the position in the epoch after the iterator's batch. Throws
  /// Error if batches come in no fixed order (enforce_ordering(false)), NotImplementedError if the
  /// sampler has no state.
  State state_dict() const {
    check_has_state();
    State state;
    state.insert("in_epoch", in_epoch_ || resumes_);
    state.insert("sampler", sampler_.state_dict(given_));
    return state;
  }
  /// Makes the next begin() continue from `state`. Throws like state_dict(), and Error for the
  /// state of another sampler or of a dataset of another size. If it throws, the loader is
  /// unchanged.
  void load_state_dict(const State& state) {
    check_has_state();
    const bool in_epoch = state.get<bool>("in_epoch");
    const auto given = state["sampler"].get<std::size_t>("index");
    sampler_.load_state_dict(state["sampler"]);  // may throw, so the workers are cleared later
    if (workers_) workers_->clear();
    given_ = given;
    resumes_ = in_epoch;
    in_epoch_ = false;
  }

 private:
  void check_has_state() const {
    TERN_CHECK(options_.workers() == 0 || options_.enforce_ordering(), Error,
               "DataLoader: saving and loading a state needs enforce_ordering(true)");
  }

  std::size_t copies() const { return options_.workers() > 0 ? options_.workers() : 1; }

  std::optional<BatchRequestType> next_request() {
    std::optional<BatchRequestType> request = sampler_.next(options_.batch_size());
    if (request && options_.drop_last() && request->size() < options_.batch_size()) return {};
    return request;
  }

  BatchType fetch(Dataset& dataset, const BatchRequestType& request) const {
    BatchType batch = dataset.get_batch(request);
    if (pins_) detail::pin(batch);
    return batch;
  }

  void prefetch() {
    while (workers_ && workers_->pending() < options_.max_jobs()) {
      std::optional<BatchRequestType> request = next_request();
      if (!request) return;
      workers_->push([this, indices = std::move(*request)](std::size_t worker) {
        return std::make_shared<BatchType>(fetch(datasets_[worker], indices));
      });
    }
  }

  std::optional<BatchType> next() {
    const tern::detail::ProfileScope profile(tern::detail::ProfileKind::kRange,
                                             "enumerate(DataLoader)#next");
    std::optional<BatchType> batch;
    if (joined_) return batch;
    given_ += options_.batch_size();
    if (workers_ && workers_->pending() > 0) {
      batch = std::move(*static_cast<BatchType*>(workers_->pop().get()));
      prefetch();
    } else if (!workers_) {
      if (const auto request = next_request()) batch = fetch(datasets_[0], *request);
    }
    in_epoch_ = batch.has_value();
    return batch;
  }

  DataLoaderOptions options_;
  Sampler sampler_;
  std::vector<Dataset> datasets_;  // one per worker
  std::size_t given_ = 0;          // examples returned in this epoch, or more at its end
  bool in_epoch_ = false;
  bool resumes_ = false;  // the next begin() continues an epoch
  bool joined_ = false;
  bool pins_;
  std::optional<detail::Workers> workers_;  // the last member, because its jobs use the others
};

/// An input iterator over one epoch.
template <class Dataset, class Sampler>
class DataLoader<Dataset, Sampler>::Iterator {
 public:
  /// Types for std::iterator_traits.
  using difference_type = std::ptrdiff_t;
  using value_type = BatchType;
  using pointer = BatchType*;
  using reference = BatchType&;
  using iterator_category = std::input_iterator_tag;

  /// Fetches the next batch. Throws Error past the end, and the errors of the dataset.
  Iterator& operator++() {
    TERN_CHECK(batch_, Error, "Attempted to increment iterator past the end");
    batch_ = loader_->next();
    return *this;
  }
  /// Returns the batch, which may be changed or moved from. Throws Error at the end.
  BatchType& operator*() {
    TERN_CHECK(batch_, Error,
               "Dereferencing the DataLoader's past-the-end iterator is not allowed");
    return *batch_;
  }
  /// Accesses the batch. Throws Error at the end.
  BatchType* operator->() { return &**this; }

  /// Returns true if both iterators belong to the same loader, and both or neither are at the end.
  bool operator==(const Iterator& other) const {
    return loader_ == other.loader_ && batch_.has_value() == other.batch_.has_value();
  }

 private:
  friend class DataLoader;
  Iterator(DataLoader* loader, std::optional<BatchType> batch)
      : loader_(loader), batch_(std::move(batch)) {}

  DataLoader* loader_;
  std::optional<BatchType> batch_;
};

/// Returns a loader of `dataset` in the order of `sampler`.
template <class Dataset, class Sampler>
std::unique_ptr<DataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                               DataLoaderOptions options,
                                                               Sampler sampler) {
  return std::make_unique<DataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler),
                                                        options);
}

/// Returns a loader of `dataset`, shuffled unless another sampler is given. Throws Error if the
/// dataset has no size.
///
/// Example:
///   auto train = make_data_loader(dataset, 64);
///   auto test = make_data_loader<samplers::SequentialSampler>(dataset, 1000);
template <class Sampler = samplers::RandomSampler, class Dataset>
std::unique_ptr<DataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                               DataLoaderOptions options = {}) {
  const std::optional<std::size_t> size = dataset.size();
  TERN_CHECK(size, Error, "Expected the dataset to be sized in order to construct the Sampler");
  return make_data_loader(std::move(dataset), options, Sampler(static_cast<std::int64_t>(*size)));
}

}  // namespace tern::data
