#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <tern/backends/sim/stream.h>

namespace tern::sim {

/// What a capture recorded: each piece checks its memory when it is asked for its work.
using Graph = std::vector<Stream::Bind>;

/// A capture that goes on: on its first stream and on those that joined it by waiting for an event.
/// What it returns runs as late as work of streams always does: that of another stream when the
/// first one waits for it.
class Capture {
 public:
  /// How much of the work of each stream comes before a place.
  using Seen = std::map<const Stream*, std::int64_t>;

  Capture(std::uint64_t number, Stream& first);

  const std::uint64_t number;
  const std::thread::id thread = std::this_thread::get_id();

  bool has_failed() const { return failed_; }
  /// Whether it has a stream of the device.
  bool uses(std::int32_t device) const;

  void record(const Stream& stream, Stream::Bind bind);
  const Seen& place(const Stream& stream) { return seen_[&stream]; }
  /// Later work of `stream`, which joins if it was not here yet, waits for `place`.
  void wait(Stream& stream, const Seen& place);
  /// Lets the streams go. Throws Failure, in CUDA's words, for a stream other than the first,
  /// another thread, work that the first stream does not wait for, and a capture that has failed.
  Graph end(const Stream& stream);
  /// From now on nothing is recorded, and `end` throws.
  void fail() { failed_ = true; }

 private:
  struct Node {
    Stream::Bind bind;
    Seen after;  // what comes before it
  };
  void append_until(const Stream* stream, std::int64_t count, Seen& done, Graph& graph);

  Stream& first_;
  bool failed_ = false;
  std::map<const Stream*, std::vector<Node>> nodes_;
  std::map<const Stream*, Seen> seen_;
  std::vector<Stream*> streams_;
};

/// What CUDA says of its errors around captures.
enum class CaptureError {
  kUnsupported,
  kInvalidated,
  kMerge,
  kUnmatched,
  kUnjoined,
  kIsolation,
  kCapturedEvent,
  kWrongThread
};

/// Throws it; the capture, if there is one, fails.
[[noreturn]] void refuse(CaptureError error, Capture* capture = nullptr);

}  // namespace tern::sim
