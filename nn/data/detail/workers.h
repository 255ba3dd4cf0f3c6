#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include <tern/core/base/visibility.h>

namespace tern::data::detail {

/// Threads that run jobs and store the results until they are popped. They belong to the process
/// that made them: in a forked child every call throws Error, and the destructor waits for nobody.
class TERN_API Workers {
 public:
  using Result = std::shared_ptr<void>;
  /// A job, called with the number of the worker that runs it.
  using Job = std::function<Result(std::size_t worker)>;
  /// The result of a job, or its exception.
  struct Outcome {
    Result result;
    std::exception_ptr error;
  };

  /// Starts `count` threads. With `in_order`, pop() returns the results in the order of their jobs,
  /// otherwise as soon as they are ready.
  Workers(std::size_t count, bool in_order, std::optional<std::int64_t> timeout_ms);
  /// Drops the waiting jobs and joins the threads.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void push(Job job);
  /// Returns the number of jobs whose result was not yet popped.
  std::size_t pending() const;
  /// Waits for the next outcome, which must be pending. Throws Error after the timeout; the outcome
  /// is then still pending.
  Outcome pop();
  /// Waits for the running jobs and drops all jobs and results.
  void clear();

 private:
  struct Impl;
  void check_process() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tern::data::detail
