#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <tern/core/base/visibility.h>

namespace tern::data::detail {

/// Threads that run jobs and keep what they make until it is asked for.
class TERN_API Workers {
 public:
  using Result = std::shared_ptr<void>;
  /// Called with the number of the worker that runs it.
  using Job = std::function<Result(std::size_t worker)>;

  /// `in_order`: results come in the order of their jobs, else as they are done.
  Workers(std::size_t count, bool in_order, std::optional<std::int64_t> timeout_ms);
  /// Drops the jobs that wait and joins the threads.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void push(Job job);
  /// Jobs pushed whose result was not popped.
  std::size_t pending() const;
  /// Waits for the next result; there must be one pending. Throws WorkerException when its job
  /// threw, Error when it took longer than the timeout.
  Result pop();
  /// Drops all jobs and results, after those that run.
  void clear();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tern::data::detail
