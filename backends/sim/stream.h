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

/// Work of a device in order. It runs late: when somebody waits for it, or when much has queued up.
/// Work is numbered from 1; a position is the number of the last one that is meant.
class Stream {
 public:
  /// Reports what went wrong by filling the context.
  using Work = std::function<void(kernels::KernelContext& context)>;

  /// Checks the memory of a piece of work and returns the work.
  using Bind = std::function<Work()>;

  explicit Stream(std::int32_t device) : device_(device) {}

  std::int32_t device() const { return device_; }
  std::int64_t submitted() const { return done_ + static_cast<std::int64_t>(queue_.size()); }
  bool is_done(std::int64_t position) const { return done_ >= position; }

  /// Queues `work`.
  void submit(Work work);
  /// Queues the work of `bind`, or has the capture record it.
  template <class B>
  void give(B bind) {
    Work work = bind();
    if (capture_ != nullptr) return record(std::move(bind));
    submit(std::move(work));
  }
  /// Runs all work up to `position`; failures become the error of the device.
  void run_until(std::int64_t position);
  void run_all() { run_until(submitted()); }

  /// From now on its work comes after the work of `other` up to `position`.
  void follow(const Stream& other, std::int64_t position) {
    std::int64_t& known = followed_[&other];
    known = std::max(known, position);
  }
  bool follows(const Stream& other, std::int64_t position) const {
    const auto known = followed_.find(&other);
    return other.is_done(position) || (known != followed_.end() && known->second >= position);
  }
  /// How much of the work of other streams comes before what is given to it now.
  const std::map<const Stream*, std::int64_t>& followed() const { return followed_; }

  /// The capture that records what is given to this stream, or null.
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

/// A place in a stream, or in a capture, set by the last record.
struct Event {
  Event(std::int32_t where, bool with_timing) : device(where), timing(with_timing) {}

  std::int32_t device;
  bool timing;
  Stream* stream = nullptr;  // null: never recorded
  std::int64_t position = 0;
  std::shared_ptr<double> milliseconds;  // when the place was passed; with timing only

  bool captured = false;
  std::weak_ptr<Capture> capture;                // while it goes on
  std::map<const Stream*, std::int64_t> seen{};  // the place: how much of each stream is before it

  void record(Stream& where);
  /// Lets later work of `where` wait for the place.
  void block(Stream& where) const;
  bool is_done() const { return stream == nullptr || stream->is_done(position); }
  void run() const {
    if (stream != nullptr) stream->run_until(position);
  }
};

}  // namespace tern::sim
