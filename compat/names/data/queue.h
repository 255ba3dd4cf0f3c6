#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <tern/compat/names/c10.h>

namespace torch::data {

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

}  // namespace detail

}  // namespace torch::data
