#pragma once

#include <exception>
#include <string>

#include <tern/core/base/error.h>

namespace tern::data {

/// What a DataLoader throws on the calling thread when a worker thread threw.
class TERN_API WorkerException : public Error {
 public:
  explicit WorkerException(std::exception_ptr original);
  ~WorkerException() override;

  std::exception_ptr original_exception;
};

}  // namespace tern::data
