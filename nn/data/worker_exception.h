#pragma once

#include <exception>
#include <string>

#include <tern/core/base/error.h>

namespace tern::data {

/// The error that a DataLoader throws on the calling thread if a worker thread threw an exception.
/// what() contains the text of the original exception.
class TERN_API WorkerException : public Error {
 public:
  /// Wraps the exception of a worker.
  explicit WorkerException(std::exception_ptr original);
  ~WorkerException() override;

  /// The exception of the worker, for std::rethrow_exception.
  std::exception_ptr original_exception;
};

}  // namespace tern::data
