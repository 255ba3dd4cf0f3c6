#include <tern/nn/data/worker_exception.h>

#include <utility>

namespace tern::data {
namespace {

std::string text_of(const std::exception_ptr& original) {
  std::string text = "Caught exception in DataLoader worker thread.";
  try {
    std::rethrow_exception(original);
  } catch (const std::exception& error) {
    return text + " Original message: " + error.what();
  } catch (...) {
    return text;
  }
}

}  // namespace

WorkerException::WorkerException(std::exception_ptr original)
    : Error(text_of(original)), original_exception(std::move(original)) {}

WorkerException::~WorkerException() = default;

}  // namespace tern::data
