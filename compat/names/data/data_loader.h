#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/compat/names/data/iterator.h>
#include <tern/compat/names/data/loader_options.h>
#include <tern/compat/names/data/queue.h>
#include <tern/compat/names/data/samplers.h>
#include <tern/core/base/profile_scope.h>

namespace torch::data {

/// What all loaders share: workers, iterators and options. A derived class says what comes next.
template <class Dataset, class Batch, class BatchRequest>
class DataLoaderBase {
 public:
  /// The types of a batch and of a request to the dataset.
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  /// Sets the options, and the dataset for a loader without workers.
  DataLoaderBase(const DataLoaderOptions& options,
                 std::unique_ptr<Dataset> main_thread_dataset = nullptr)
      : options_(options),
        main_thread_dataset_(std::move(main_thread_dataset)),
        sequencer_(new_sequencer()) {}
  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;
  /// Ends the workers.
  virtual ~DataLoaderBase() { join(); }

  /// Starts an epoch. Throws Error while workers still fetch batches of the epoch before.
  Iterator<Batch> begin() {
    TERN_CHECK(
        shuttle_.in_flight_jobs() == 0, ::tern::Error,
        "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
    reset();
    return Iterator<Batch>(
        std::make_unique<detail::ValidIterator<Batch>>([this] { return next(); }));
  }
  /// Returns the end of every epoch.
  Iterator<Batch> end() {
    return Iterator<Batch>(std::make_unique<detail::SentinelIterator<Batch>>());
  }
  /// Waits for the workers and ends them. A loader that had some gives no more batches.
  void join() {
    if (std::exchange(joined_, true)) return;
    shuttle_.drain();
    for (std::size_t i = 0; i < workers_.size(); ++i) push_job(QuitWorker());
    for (std::thread& worker : workers_) worker.join();
  }
  /// Returns the options.
  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  /// A number in the order of the batches of an epoch.
  struct Sequenced {
    /// The number, from 0.
    std::size_t sequence_number = 0;
  };
  /// Tells a worker to end.
  struct QuitWorker {};
  /// A request for a worker, or its end.
  struct Job : Sequenced {
    /// Makes a request, or the end of a worker.
    Job(QuitWorker end, std::size_t number) : Sequenced{number}, quit(end) {}
    Job(BatchRequest request, std::size_t number)
        : Sequenced{number}, batch_request(std::move(request)) {}
    /// Set for the end of a worker.
    std::optional<QuitWorker> quit;
    /// Set for a request.
    std::optional<BatchRequest> batch_request;
  };
  /// A batch of a worker, or its exception; neither if a stateful dataset is exhausted.
  struct Result : Sequenced {
    /// Makes a result.
    Result(std::optional<Batch> its_batch, std::size_t number)
        : Sequenced{number}, batch(std::move(its_batch)) {}
    Result(std::exception_ptr error, std::size_t number)
        : Sequenced{number}, exception(std::move(error)) {}
    /// The batch, if there is one.
    std::optional<Batch> batch;
    /// The exception, if one was thrown.
    std::exception_ptr exception;
  };

  /// Returns what to fetch next; nullopt at the end of the epoch.
  virtual std::optional<BatchRequest> get_batch_request() = 0;
  /// Starts an epoch.
  virtual void reset() {
    shuttle_.drain();
    sequence_number_ = 0;
    sequencer_ = new_sequencer();
    seed_ = ::tern::default_generator(::tern::kCPU).current_seed();
    ++epoch_;
    prefetch();
  }
  /// Gives the workers up to `requested_jobs` more requests.
  void prefetch(std::size_t requested_jobs) {
    for (; requested_jobs > 0; --requested_jobs) {
      std::optional<BatchRequest> request = get_batch_request();
      if (!request) return;
      push_job(std::move(*request));
    }
  }
  /// Gives the workers as many requests as the options allow.
  void prefetch() { prefetch(options_.max_jobs); }
  /// Returns the next batch; nullopt at the end of the epoch.
  std::optional<Batch> next() {
    const ::tern::detail::ProfileScope profile(::tern::detail::ProfileKind::kRange,
                                               "enumerate(DataLoader)#next");
    if (options_.workers == 0) {
      std::optional<BatchRequest> request = get_batch_request();
      if (!request) return std::nullopt;
      return fetch(*main_thread_dataset_, std::move(*request), sequence_number_++, std::nullopt);
    }
    while (!joined_) {
      std::optional<Result> result = pop_result();
      if (!result) break;
      if (result->exception) throw WorkerException(result->exception);
      if (!result->batch) continue;
      prefetch(1);
      return std::move(result->batch);
    }
    return std::nullopt;
  }
  /// What a worker runs; `worker` is its number.
  void worker_thread(Dataset& dataset, std::size_t worker = 0) {
    ::tern::detail::name_thread("DataLoader worker", static_cast<int>(worker));
    while (true) {
      Job job = shuttle_.pop_job();
      if (job.quit) return;
      shuttle_.push_result(result_of(dataset, std::move(job), worker));
    }
  }
  /// Gives the workers a request, or the end of one, with the next number.
  template <class T>
  void push_job(T value) {
    shuttle_.push_job({std::move(value), sequence_number_++});
  }
  /// Waits for the next result; nullopt if there are no more.
  std::optional<Result> pop_result() {
    return sequencer_->next([this] { return shuttle_.pop_result(options_.timeout); });
  }
  /// Returns a sequencer for an epoch.
  std::unique_ptr<detail::sequencers::Sequencer<Result>> new_sequencer() const {
    if (!options_.enforce_ordering) {
      return std::make_unique<detail::sequencers::NoSequencer<Result>>();
    }
    return std::make_unique<detail::sequencers::OrderedSequencer<Result>>(options_.max_jobs);
  }

  /// The options.
  const FullDataLoaderOptions options_;
  /// The dataset of the calling thread, or of all workers if they share it.
  std::unique_ptr<Dataset> main_thread_dataset_;
  /// The number of the next job.
  std::size_t sequence_number_ = 0;
  /// The threads of the workers.
  std::vector<std::thread> workers_;
  /// The jobs and their results.
  detail::DataShuttle<Job, Result> shuttle_;
  /// The order of the results.
  std::unique_ptr<detail::sequencers::Sequencer<Result>> sequencer_;
  /// True after join().
  bool joined_ = false;

 private:
  /// Runs a request. The worker keeps no part of an exception, which another thread frees.
  Result result_of(Dataset& dataset, Job job, std::size_t worker) {
    const std::size_t number = job.sequence_number;
    try {
      return {fetch(dataset, std::move(*job.batch_request), number, worker), number};
    } catch (...) {
      return {std::current_exception(), number};
    }
  }
  /// Fetches a batch, whose random transforms draw the same numbers on every thread.
  std::optional<Batch> fetch(Dataset& dataset, BatchRequest request, std::size_t number,
                             std::optional<std::size_t> worker) {
    const ::tern::data::detail::BatchScope scope(
        ::tern::data::detail::batch_seed(seed_, epoch_, number), worker, options_.workers);
    return dataset.get_batch(std::move(request));
  }

  std::uint64_t seed_ = 0;  // of this epoch
  std::size_t epoch_ = 0;
};

/// A loader of a dataset in the order of a sampler. Each worker has its own copy of the dataset.
template <class Dataset, class Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                                                  typename Sampler::BatchRequestType> {
  using Base =
      DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;

 public:
  /// The type of a request to the dataset.
  using BatchRequestType = typename Sampler::BatchRequestType;

  /// Joins a dataset, a sampler and options, and starts the workers.
  StatelessDataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions& options)
      : Base(options), sampler_(std::move(sampler)) {
    for (std::size_t i = 0; i < this->options_.workers; ++i) {
      if constexpr (std::is_copy_constructible_v<Dataset>) {
        this->workers_.emplace_back(
            [this, i, dataset]() mutable { this->worker_thread(dataset, i); });
      } else {
        ::tern::data::detail::raise_not_copyable();
      }
    }
    if (this->options_.workers == 0) {
      this->main_thread_dataset_ = std::make_unique<Dataset>(std::move(dataset));
    }
  }

 private:
  void reset() override {
    sampler_.reset();
    Base::reset();
  }
  std::optional<BatchRequestType> get_batch_request() override {
    const std::size_t batch_size = this->options_.batch_size;
    auto request = sampler_.next(batch_size);
    if (!request || (this->options_.drop_last && request->size() < batch_size)) return std::nullopt;
    TERN_CHECK(request->size() > 0, ::tern::Error,
               "DataLoader: the sampler gave an empty batch, for the batch size ", batch_size);
    return request;
  }

  Sampler sampler_;
};

/// A loader of a stateful dataset, which all workers share.
template <class Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
  using Base = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                              typename Dataset::BatchRequestType>;

 public:
  /// The type of a request to the dataset.
  using BatchRequestType = typename Dataset::BatchRequestType;

  /// Joins a dataset and options, and starts the workers.
  StatefulDataLoader(Dataset dataset, const DataLoaderOptions& options)
      : Base(options, std::make_unique<Dataset>(std::move(dataset))) {
    for (std::size_t i = 0; i < this->options_.workers; ++i) {
      this->workers_.emplace_back(
          [this, i] { this->worker_thread(*this->main_thread_dataset_, i); });
    }
  }

 private:
  void reset() override {
    this->main_thread_dataset_->reset();
    Base::reset();
  }
  std::optional<BatchRequestType> get_batch_request() override { return this->options_.batch_size; }
};

/// Returns a loader of `dataset` in the order of `sampler`.
template <class Dataset, class Sampler>
requires(!Dataset::is_stateful)
    std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
        Dataset dataset, Sampler sampler, const DataLoaderOptions& options) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset),
                                                                 std::move(sampler), options);
}
/// Returns a loader of `dataset`, shuffled unless another sampler is given. Throws Error if the
/// dataset has no size.
template <class Sampler = samplers::RandomSampler, class Dataset>
requires(!Dataset::is_stateful && std::is_constructible_v<Sampler, std::size_t>)
    std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
        Dataset dataset, const DataLoaderOptions& options = {}) {
  const std::optional<std::size_t> size = dataset.size();
  TERN_CHECK(size, ::tern::Error,
             "Expected the dataset to be sized in order to construct the Sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}
/// Returns a loader of a stateful dataset.
template <class Dataset>
requires(Dataset::is_stateful) std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(
    Dataset dataset, const DataLoaderOptions& options = {}) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace torch::data
