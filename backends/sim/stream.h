#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <tern/core/kernels/slots.h>

namespace tern::sim {

class Capture;

/// A queue of a device's work, which runs in order. Work runs late: when a call waits for it, or
/// when the queue is full. Pieces of work are numbered from 1; a position is the number of the last
/// piece that it includes.
class Stream {
 public:
  /// A piece of work. It reports errors in the context.
  using Work = std::function<void(kernels::KernelContext& context)>;

  /// Checks the memory of a piece of work and returns the work.
  using Bind = std::function<Work()>;

  explicit Stream(std::int32_t device) : device_(device) {}

  std::int32_t device() const { return device_; }
  std::int64_t submitted() const { return done_ + static_cast<std::int64_t>(queue_.size()); }
  bool is_done(std::int64_t position) const { return done_ >= position; }

  /// Queues `work`.
  void submit(Work work);
  /// Queues the work of `bind`, or lets the capture record `bind`.
  template <class B>
  void give(B bind) {
    Work work = bind();
    if (capture_ != nullptr) return record(std::move(bind));
    submit(std::move(work));
  }
  /// Runs all work up to `position`. The first error becomes the error of the device.
  void run_until(std::int64_t position);
  void run_all() { run_until(submitted()); }

  /// Orders later work of this stream after the work of `other` up to `position`.
  void follow(const Stream& other, std::int64_t position) {
    std::int64_t& known = followed_[&other];
    known = std::max(known, position);
  }
  bool follows(const Stream& other, std::int64_t position) const {
    const auto known = followed_.find(&other);
    return other.is_done(position) || (known != followed_.end() && known->second >= position);
  }
  /// Returns, for each other stream, the position that later work of this stream comes after.
  const std::map<const Stream*, std::int64_t>& followed() const { return followed_; }

  /// Returns the capture that records this stream, or null.
  const std::shared_ptr<Capture>& capture() const { return capture_; }
  void set_capture(std::shared_ptr<Capture> capture) { capture_ = std::move(capture); }

 private:
  void record(Bind bind);

  std::int32_t device_;
  std::int64_t done_ = 0;
  std::deque<Work> queue_;
  std::map<const Stream*, std::int64_t> followed_;
  std::shared_ptr<Capture> capture_;
};

/// A position in a stream or in a capture, set by the last record.
struct Event {
  Event(std::int32_t where, bool with_timing) : device(where), timing(with_timing) {}

  std::int32_t device;
  bool timing;
  Stream* stream = nullptr;  // null: never recorded
  std::int64_t position = 0;
  std::shared_ptr<double> milliseconds;  // when the position was passed; with timing only

  bool captured = false;
  std::weak_ptr<Capture> capture;                // expires when the capture ends
  std::map<const Stream*, std::int64_t> seen{};  // the position: work of each stream before it

  void record(Stream& where);
  /// Makes later work of `where` wait for this position.
  void block(Stream& where) const;
  bool is_done() const { return stream == nullptr || stream->is_done(position); }
  void run() const {
    if (stream != nullptr) stream->run_until(position);
  }
};

}  // namespace tern::sim
