#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/profile_scope.h>
#include <tern/nn/data/data.h>
#include <tern/nn/data/datasets/chunk.h>
#include <tern/nn/options/options_arg.h>

// torch::data where its rules are not those of tern::data: loaders, and what has save() and load().

namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace torch::data {

using ::tern::data::BatchDataset;
using ::tern::data::Dataset;
using ::tern::data::Example;
using ::tern::data::TensorExample;

namespace example {
using ::tern::data::example::NoTarget;
}  // namespace example

// --- Options and errors
// ---------------------------------------------------------------------------

/// Options of a data loader. A bare number is the batch size.
struct DataLoaderOptions {
  /// Leaves every option at its default.
  DataLoaderOptions() = default;
  /// Sets the batch size.
  DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}

  /// The number of examples in a batch.
  TERN_ARG(std::size_t, batch_size) = 1;
  /// The number of threads that fetch batches; with 0 the calling thread fetches.
  TERN_ARG(std::size_t, workers) = 0;
  /// The number of batches that are fetched ahead; twice the workers by default.
  TERN_ARG(std::optional<std::size_t>, max_jobs);
  /// The longest time to wait for a batch of the workers.
  TERN_ARG(std::optional<std::chrono::milliseconds>, timeout);
  /// True: batches come in the sampler's order. False: as soon as they are ready.
  TERN_ARG(bool, enforce_ordering) = true;
  /// True: a smaller last batch is dropped.
  TERN_ARG(bool, drop_last) = false;
};

/// The options of a data loader with all defaults filled in.
struct FullDataLoaderOptions {
  /// Fills in the defaults.
  explicit FullDataLoaderOptions(const DataLoaderOptions& options)
      : batch_size(options.batch_size()),
        workers(options.workers()),
        max_jobs(options.max_jobs().value_or(2 * workers)),
        timeout(options.timeout()),
        enforce_ordering(options.enforce_ordering()),
        drop_last(options.drop_last()) {}

  /// See DataLoaderOptions.
  std::size_t batch_size, workers, max_jobs;
  std::optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering, drop_last;
};

/// Thrown on the calling thread if a worker threw an exception that has a text. It is no
/// c10::Error.
struct WorkerException : std::exception {
  /// Wraps an exception of a worker. One that derives not from std::exception is thrown as it is.
  explicit WorkerException(std::exception_ptr original) : original_exception(std::move(original)) {
    try {
      std::rethrow_exception(original_exception);
    } catch (const std::exception& error) {
      message = std::string("Caught exception in DataLoader worker thread. Original message: ") +
                error.what();
    }
  }
  const char* what() const noexcept override { return message.c_str(); }

  /// The exception of the worker, for std::rethrow_exception.
  std::exception_ptr original_exception;
  /// The text of this exception.
  std::string message;
};

// --- Queues
// ---------------------------------------------------------------------------------------

namespace detail {

/// A queue between threads.
template <class T>
class Queue {
 public:
  /// Appends a value and wakes a waiting thread.
  void push(T value) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push(std::move(value));
    }
    filled_.notify_one();
  }
  /// Waits for the first value and removes it. Throws Error after `timeout`.
  T pop(std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !queue_.empty(); };
    if (timeout) {
      TERN_CHECK(filled_.wait_for(lock, *timeout, ready), ::tern::Error,
                 "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                 timeout->count(), " ms)");
    } else {
      filled_.wait(lock, ready);
    }
    T value = std::move(queue_.front());
    queue_.pop();
    return value;
  }
  /// Removes all values and returns how many there were.
  std::size_t clear() {
    const std::lock_guard lock(mutex_);
    const std::size_t count = queue_.size();
    queue_ = {};
    return count;
  }

 private:
  std::queue<T> queue_;
  std::mutex mutex_;
  std::condition_variable filled_;
};

/// Carries jobs from one thread to the workers and their results back. A job is in flight from
/// push_job() until its result is popped.
template <class Job, class Result>
class DataShuttle {
 public:
  /// Gives a job to the workers.
  void push_job(Job job) {
    jobs_.push(std::move(job));
    ++in_flight_;
  }
  /// Gives a result back; for the workers.
  void push_result(Result result) { results_.push(std::move(result)); }
  /// Waits for the next job; for the workers.
  Job pop_job() { return jobs_.pop(); }
  /// Waits for a result; nullopt if no job is in flight. Throws Error after `timeout`.
  std::optional<Result> pop_result(
      std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    if (in_flight_ == 0) return std::nullopt;
    std::optional<Result> result = results_.pop(timeout);
    --in_flight_;
    return result;
  }
  /// Drops the waiting jobs and waits for the results of the others.
  void drain() {
    in_flight_ -= jobs_.clear();
    while (pop_result()) {
    }
  }
  /// Returns the number of jobs in flight.
  std::size_t in_flight_jobs() const noexcept { return in_flight_; }

 private:
  Queue<Job> jobs_;
  Queue<Result> results_;
  std::size_t in_flight_ = 0;
};

namespace sequencers {

/// Decides in which order the results of the workers are given on.
template <class Result>
struct Sequencer {
  /// Returns the next result that is ready; nullopt if there are no more.
  using ResultProducer = std::function<std::optional<Result>()>;
  /// Frees the sequencer.
  virtual ~Sequencer() = default;
  /// Returns the next result; nullopt at the end.
  virtual std::optional<Result> next(ResultProducer next_result) = 0;
};

/// Gives every result on as soon as it is ready.
template <class Result>
struct NoSequencer final : Sequencer<Result> {
  std::optional<Result> next(typename Sequencer<Result>::ResultProducer next_result) override {
    return next_result();
  }
};

/// Gives the results on in the order of their sequence numbers.
template <class Result>
struct OrderedSequencer : Sequencer<Result> {
  /// Keeps at most `max_jobs` results back.
  explicit OrderedSequencer(std::size_t max_jobs) : buffer_(std::max<std::size_t>(max_jobs, 1)) {}

  std::optional<Result> next(typename Sequencer<Result>::ResultProducer next_result) override {
    std::optional<Result>& place = buffer(next_sequence_number_);
    while (!place) {
      std::optional<Result> result = next_result();
      if (!result) return std::nullopt;
      buffer(result->sequence_number) = std::move(result);
    }
    ++next_sequence_number_;
    return std::exchange(place, std::nullopt);
  }
  /// Returns the place of a sequence number.
  std::optional<Result>& buffer(std::size_t index) { return buffer_[index % buffer_.size()]; }

  /// The sequence number that is given on next.
  std::size_t next_sequence_number_ = 0;
  /// The results that came too early.
  std::vector<std::optional<Result>> buffer_;
};

}  // namespace sequencers

// --- Iterators
// ------------------------------------------------------------------------------------

/// What the copies of an iterator share.
template <class Batch>
struct IteratorImpl {
  /// Frees the batch.
  virtual ~IteratorImpl() = default;
  /// Fetches the next batch. Throws Error at the end.
  virtual void next() = 0;
  /// Returns the batch. Throws Error at the end.
  virtual Batch& get() = 0;
  /// Returns true if there are no more batches.
  virtual bool is_end() = 0;
  /// Returns true for the end of every epoch.
  virtual bool is_sentinel() const { return false; }
};

/// An iterator over one epoch, which fetches its first batch when that is needed.
template <class Batch>
struct ValidIterator : IteratorImpl<Batch> {
  /// Returns the next batch; nullopt at the end.
  using BatchProducer = std::function<std::optional<Batch>()>;

  /// Iterates over the batches of `next_batch`.
  explicit ValidIterator(BatchProducer next_batch) : next_batch_(std::move(next_batch)) {}

  void next() override {
    TERN_CHECK(!is_end(), ::tern::Error, "Attempted to increment iterator past the end");
    batch_ = next_batch_();
  }
  Batch& get() override {
    TERN_CHECK(!is_end(), ::tern::Error, "Attempted to dereference iterator that was past the end");
    return *batch_;
  }
  bool is_end() override {
    if (!initialized_) {
      batch_ = next_batch_();
      initialized_ = true;
    }
    return !batch_;
  }

  /// Where the batches come from.
  BatchProducer next_batch_;
  /// The batch; nullopt at the end.
  std::optional<Batch> batch_;
  /// True once the first batch was fetched.
  bool initialized_ = false;
};

/// The end of every epoch.
template <class Batch>
struct SentinelIterator : IteratorImpl<Batch> {
  void next() override { fail("Incrementing"); }
  Batch& get() override { fail("Dereferencing"); }
  bool is_end() override { return true; }
  bool is_sentinel() const override { return true; }

 private:
  [[noreturn]] static void fail(const char* what) {
    ::tern::detail::raise<::tern::Error>(what,
                                         " the DataLoader's past-the-end iterator is not allowed");
  }
};

}  // namespace detail

/// An input iterator over one epoch. Copies share the batch and the position.
template <class Batch>
class Iterator {
 public:
  /// Types for std::iterator_traits.
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;

  /// Takes over an iterator.
  explicit Iterator(std::unique_ptr<detail::IteratorImpl<Batch>> impl) : impl_(std::move(impl)) {}

  /// Fetches the next batch. Throws Error at the end.
  Iterator& operator++() {
    impl_->next();
    return *this;
  }
  /// Returns the batch. Throws Error at the end.
  Batch& operator*() { return impl_->get(); }
  /// Accesses the batch. Throws Error at the end.
  Batch* operator->() { return &impl_->get(); }

  /// Returns true for copies of one iterator, for two ends, and for the end and an iterator that
  /// has no more batches.
  bool operator==(const Iterator& other) const {
    if (impl_ == other.impl_) return true;
    if (!impl_->is_sentinel() && !other.impl_->is_sentinel()) return false;
    return impl_->is_end() && other.impl_->is_end();
  }

 private:
  std::shared_ptr<detail::IteratorImpl<Batch>> impl_;
};

// --- Loaders
// --------------------------------------------------------------------------------------

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
    std::optional<QuitWorker> quit;
    std::optional<BatchRequest> batch_request;
  };
  /// A batch of a worker, or its exception; neither if a stateful dataset is exhausted.
  struct Result : Sequenced {
    /// Makes a result.
    Result(std::optional<Batch> its_batch, std::size_t number)
        : Sequenced{number}, batch(std::move(its_batch)) {}
    Result(std::exception_ptr error, std::size_t number)
        : Sequenced{number}, exception(std::move(error)) {}
    std::optional<Batch> batch;
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
      const std::size_t number = job.sequence_number;
      try {
        shuttle_.push_result(
            {fetch(dataset, std::move(*job.batch_request), number, worker), number});
      } catch (...) {
        shuttle_.push_result({std::current_exception(), number});
      }
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

// --- Samplers
// -------------------------------------------------------------------------------------

namespace samplers {

using ::tern::data::samplers::BatchSize;
using ::tern::data::samplers::CustomBatchRequest;

/// Decides which examples form the next batch.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler : public ::tern::data::samplers::Sampler<BatchRequest> {
 public:
  /// The type of the requests to the dataset.
  using BatchRequestType = BatchRequest;

  /// Writes the position in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Continues at the position of an archive.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// Writes the state of a sampler.
template <class BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Sampler<BatchRequest>& sampler) {
  sampler.save(archive);
  return archive;
}
/// Reads the state of a sampler.
template <class BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    Sampler<BatchRequest>& sampler) {
  sampler.load(archive);
  return archive;
}

/// The part of the examples that one of `num_replicas` processes samples; see
/// tern::data::samplers::DistributedSampler.
template <class BatchRequest = std::vector<std::size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  /// Divides `size` examples. With `allow_duplicates` some come twice where a rest is left,
  /// otherwise some do not come.
  explicit DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                              bool allow_duplicates = true)
      : size_(size),
        num_replicas_(num_replicas),
        rank_(rank),
        allow_duplicates_(allow_duplicates) {}

  /// Sets the epoch, which decides how the next reset() shuffles.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// Returns the epoch.
  std::size_t epoch() const { return epoch_; }

 protected:
  /// Returns the number of examples of this rank.
  std::size_t local_sample_count() const {
    return (allow_duplicates_ ? size_ + num_replicas_ - 1 : size_) / num_replicas_;
  }

  /// What the constructor and set_epoch() were told.
  std::size_t size_, num_replicas_, rank_, epoch_ = 0;
  bool allow_duplicates_;
};

namespace detail {

/// A sampler of tern::data below a base of libtorch's.
template <class Own, class Base>
class Wrapped : public Base {
 public:
  void reset(std::optional<std::size_t> new_size = std::nullopt) override { own_.reset(new_size); }
  std::optional<typename Own::BatchRequestType> next(std::size_t batch_size) override {
    return own_.next(batch_size);
  }
  ::tern::State state_dict(std::optional<std::size_t> given = std::nullopt) const override {
    return own_.state_dict(given);
  }
  void load_state_dict(const ::tern::State& state) override { own_.load_state_dict(state); }
  void save(serialize::OutputArchive& /*archive*/) const override { fail("save"); }
  void load(serialize::InputArchive& /*archive*/) override { fail("load"); }

 protected:
  /// Takes over a sampler; `args` construct the base.
  template <class... Args>
  explicit Wrapped(Own own, Args... args) : Base(args...), own_(std::move(own)) {}

  /// Returns how many examples were sampled since the reset.
  std::size_t position() const { return own_.state_dict().template get<std::size_t>("index"); }
  /// Continues behind `count` examples.
  void move_to(std::size_t count) {
    ::tern::State state = own_.state_dict();
    state.set("index", count);
    own_.load_state_dict(state);
  }
  /// Writes a number as libtorch does.
  template <class Archive>
  static void write(Archive& archive, const std::string& key, std::size_t number) {
    archive.write(key, ::tern::tensor(static_cast<std::int64_t>(number)), /*is_buffer=*/true);
  }
  /// Reads a number.
  template <class Archive>
  static std::size_t read(Archive& archive, const std::string& key) {
    ::tern::Tensor number = ::tern::empty({1}, ::tern::kLong);
    archive.read(key, number, /*is_buffer=*/true);
    return static_cast<std::size_t>(number.template item<std::int64_t>());
  }

  /// The sampler.
  Own own_;

 private:
  [[noreturn]] static void fail(const char* what) {
    ::tern::detail::raise<::tern::NotImplementedError>(what, ": there are no archives");
  }
};

/// A distributed sampler of tern::data, which draws in its constructor and at each reset().
template <class Own>
class Distributed : public Wrapped<Own, DistributedSampler<>> {
 public:
  /// Samples the examples of `rank`. Throws Error unless rank < num_replicas.
  explicit Distributed(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                       bool allow_duplicates = true)
      : Distributed::Wrapped(Own(size, num_replicas, rank, allow_duplicates), size, num_replicas,
                             rank, allow_duplicates) {
    this->own_.reset();
  }

  void reset(std::optional<std::size_t> new_size = std::nullopt) override {
    this->size_ = new_size.value_or(this->size_);
    this->own_.set_epoch(this->epoch_);
    this->own_.reset(new_size);
  }
  /// Returns the position in the list of all ranks.
  std::size_t index() const noexcept { return begin() + this->own_.index(); }

 protected:
  /// Returns the position of the first example of this rank.
  std::size_t begin() const { return this->rank_ * this->local_sample_count(); }
};

}  // namespace detail

/// Samples 0, 1, 2, ... in order.
class SequentialSampler
    : public detail::Wrapped<::tern::data::samplers::SequentialSampler, Sampler<>> {
 public:
  /// Samples `size` examples.
  explicit SequentialSampler(std::size_t size)
      : Wrapped(::tern::data::samplers::SequentialSampler(size)) {}
  /// Returns the number of indices since the last reset.
  std::size_t index() const noexcept { return own_.index(); }

  /// Writes and reads libtorch's key.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "index", index());
  }
  template <class Archive>
  void read_from(Archive& archive) {
    move_to(read(archive, "index"));
  }
};

/// Samples every index once, in a random order of the CPU's default generator.
class RandomSampler : public detail::Wrapped<::tern::data::samplers::RandomSampler, Sampler<>> {
 public:
  /// Samples `size` examples. `index_dtype` has no effect.
  explicit RandomSampler(std::int64_t size, ::tern::ScalarType index_dtype = ::tern::kLong)
      : Wrapped(::tern::data::samplers::RandomSampler(size, index_dtype)) {}
  /// Returns the number of indices since the last reset.
  std::size_t index() const noexcept { return own_.index(); }

  /// Writes and reads libtorch's keys.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "index", index());
    archive.write("indices", own_.state_dict().template get<::tern::Tensor>("order"),
                  /*is_buffer=*/true);
  }
  template <class Archive>
  void read_from(Archive& archive) {
    ::tern::Tensor order = ::tern::empty({0}, ::tern::kLong);
    archive.read("indices", order, /*is_buffer=*/true);
    const auto size = static_cast<std::size_t>(order.numel());
    ::tern::State state = own_.state_dict();
    if (state.get<std::size_t>("size") != size) own_.reset(size);
    state.set("size", size);
    state.set("index", read(archive, "index"));
    state.set("order", order.to(::tern::kLong));
    own_.load_state_dict(state);
  }
};

/// Requests examples of a stream until an epoch has `epoch_size` of them.
class StreamSampler
    : public detail::Wrapped<::tern::data::samplers::StreamSampler, Sampler<BatchSize>> {
 public:
  /// Requests `epoch_size` examples in an epoch.
  explicit StreamSampler(std::size_t epoch_size)
      : Wrapped(::tern::data::samplers::StreamSampler(epoch_size)) {}

  /// Writes and reads libtorch's key.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "examples_retrieved_so_far", position());
  }
  template <class Archive>
  void read_from(Archive& archive) {
    move_to(read(archive, "examples_retrieved_so_far"));
  }
};

/// Shuffles the examples and samples those of one rank.
class DistributedRandomSampler
    : public detail::Distributed<::tern::data::samplers::DistributedRandomSampler> {
 public:
  using Distributed::Distributed;

  /// Writes and reads libtorch's keys.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "sample_index_", index());
    write(archive, "epoch_", epoch());
  }
  template <class Archive>
  void read_from(Archive& archive) {
    set_epoch(read(archive, "epoch_"));
    reset();
    move_to(read(archive, "sample_index_") - begin());
  }
};

/// Samples the examples of one rank in order.
class DistributedSequentialSampler
    : public detail::Distributed<::tern::data::samplers::DistributedSequentialSampler> {
 public:
  using Distributed::Distributed;

  /// Writes and reads libtorch's key.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "sample_index_", index());
  }
  template <class Archive>
  void read_from(Archive& archive) {
    move_to(read(archive, "sample_index_") - begin());
  }
};

}  // namespace samplers

// --- Datasets and transforms
// ----------------------------------------------------------------------

namespace datasets {

using ::tern::data::datasets::BatchDataset;
using ::tern::data::datasets::ChunkDataReader;
using ::tern::data::datasets::ChunkDatasetOptions;
using ::tern::data::datasets::Dataset;
using ::tern::data::datasets::make_shared_dataset;
using ::tern::data::datasets::map;
using ::tern::data::datasets::MapDataset;
using ::tern::data::datasets::MNIST;
using ::tern::data::datasets::SharedBatchDataset;
using ::tern::data::datasets::StreamDataset;
using ::tern::data::datasets::TensorDataset;

/// A dataset that decides itself which examples come next; see
/// tern::data::datasets::StatefulDataset.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = std::size_t>
class StatefulDataset : public ::tern::data::datasets::StatefulDataset<Self, Batch, BatchRequest> {
 public:
  /// Writes the position in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Continues at the position of an archive.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// Writes the state of a stateful dataset.
template <class D>
requires(D::is_stateful) serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                                              const D& dataset) {
  dataset.save(archive);
  return archive;
}
/// Reads the state of a stateful dataset.
template <class D>
requires(D::is_stateful) serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                                             D& dataset) {
  dataset.load(archive);
  return archive;
}

/// A stateful dataset that reads chunks ahead on threads of its own; see
/// tern::data::datasets::ChunkDataset.
template <class ChunkReader, class ChunkSampler = samplers::RandomSampler,
          class ExampleSampler = samplers::RandomSampler>
class ChunkDataset final
    : public ::tern::data::datasets::ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler> {
  using Base = ::tern::data::datasets::ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>;

 public:
  /// The type of a batch; nullopt at the end of an epoch.
  using BatchType = std::optional<typename ChunkReader::BatchType>;

  using Base::Base;

  /// Returns the next batch. Throws the WorkerException of this namespace if the reader threw.
  BatchType get_batch(std::size_t batch_size) override {
    try {
      return Base::get_batch(batch_size);
    } catch (const ::tern::data::WorkerException& error) {
      throw WorkerException(error.original_exception);
    }
  }
  using Base::get_batch;

  /// Writes the sampler of chunks, at the first chunk that was not given completely.
  void save(serialize::OutputArchive& archive) const { this->sampler_of_rest().save(archive); }
  /// Reads the sampler of chunks; the next reset() continues with it.
  void load(serialize::InputArchive& archive) {
    ChunkSampler sampler = this->sampler_of_rest();
    sampler.load(archive);
    this->continue_with(std::move(sampler));
  }
};

}  // namespace datasets

namespace transforms {

using ::tern::data::transforms::BatchLambda;
using ::tern::data::transforms::BatchTransform;
using ::tern::data::transforms::Collate;
using ::tern::data::transforms::Collation;
using ::tern::data::transforms::Lambda;
using ::tern::data::transforms::Stack;
using ::tern::data::transforms::TensorLambda;
using ::tern::data::transforms::TensorTransform;
using ::tern::data::transforms::Transform;

/// Returns (input - mean) / stddev of any tensor, with mean and stddev of the shape [C, 1, 1].
template <class Target = ::tern::Tensor>
struct Normalize : ::tern::data::transforms::Normalize<Target> {
  /// Sets the statistics, unchecked.
  Normalize(::tern::ArrayRef<double> means, ::tern::ArrayRef<double> stddevs)
      : ::tern::data::transforms::Normalize<Target>(0.0, 1.0) {
    const auto per_channel = [](::tern::ArrayRef<double> values) {
      return ::tern::tensor(values.vec(), ::tern::kFloat).unsqueeze(1).unsqueeze(2);
    };
    this->mean = per_channel(means);
    this->stddev = per_channel(stddevs);
  }
  /// Returns the normalised tensor.
  ::tern::Tensor operator()(::tern::Tensor input) override {
    return input.sub(this->mean).div(this->stddev);
  }
};

}  // namespace transforms

// --- make_data_loader
// -----------------------------------------------------------------------------

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
