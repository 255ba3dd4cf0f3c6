#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <tern/compat/names/c10.h>

namespace tern::compat {

/// Returns the text of a WorkerException. Throws an exception on that derives not from
/// std::exception.
TERN_API std::string message_of_worker(const std::exception_ptr& exception);

}  // namespace tern::compat

namespace torch::data {

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
  /// See DataLoaderOptions.
  std::optional<std::chrono::milliseconds> timeout;
  /// See DataLoaderOptions.
  bool enforce_ordering, drop_last;
};

/// Thrown on the calling thread if a worker threw an exception that has a text. It is no
/// c10::Error.
struct WorkerException : std::exception {
  /// Wraps an exception of a worker. One that derives not from std::exception is thrown as it is.
  explicit WorkerException(std::exception_ptr original)
      // NOLINTNEXTLINE(bugprone-throw-keyword-missing): keeps it
      : original_exception(std::move(original)),
        message(::tern::compat::message_of_worker(original_exception)) {}
  /// Returns the message.
  const char* what() const noexcept override { return message.c_str(); }

  /// The exception of the worker, for std::rethrow_exception.
  std::exception_ptr original_exception;
  /// The text of this exception.
  std::string message;
};

}  // namespace torch::data
