#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include <tern/core/kernels/slots.h>

namespace tern::sim {

/// Work of a device in order. It runs late: when somebody waits for it, or when much has queued up.
/// Work is numbered from 1; a position is the number of the last one that is meant.
class Stream {
 public:
  /// Reports what went wrong by filling the context.
  using Work = std::function<void(kernels::KernelContext& context)>;

  explicit Stream(std::int32_t device) : device_(device) {}

  std::int32_t device() const { return device_; }
  std::int64_t submitted() const { return done_ + static_cast<std::int64_t>(queue_.size()); }
  bool is_done(std::int64_t position) const { return done_ >= position; }

  /// Queues `work`.
  void submit(Work work);
  /// Runs all work up to `position`; failures become the error of the device.
  void run_until(std::int64_t position);
  void run_all() { run_until(submitted()); }

 private:
  std::int32_t device_;
  std::int64_t done_ = 0;
  std::deque<Work> queue_;
};

/// A place in a stream, set by the last record.
struct Event {
  std::int32_t device;
  bool timing;
  Stream* stream = nullptr;  // null: never recorded
  std::int64_t position = 0;
  std::shared_ptr<double> milliseconds;  // when the place was passed; with timing only

  void record(Stream& where);
  bool is_done() const { return stream == nullptr || stream->is_done(position); }
  void run() const {
    if (stream != nullptr) stream->run_until(position);
  }
};

}  // namespace tern::sim
