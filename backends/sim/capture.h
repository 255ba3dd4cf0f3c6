#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <tern/backends/sim/stream.h>

namespace tern::sim {

/// The recorded work of a capture. Each Bind checks its memory when it is asked for its work.
using Graph = std::vector<Stream::Bind>;

/// An active capture, with its first stream and the streams that joined it by waiting for an event.
/// The graph runs work as late as simulated streams do: the work of another stream comes when the
/// first stream waits for it.
class Capture {
 public:
  /// A position in the capture: for each stream, the number of its pieces of work that come before.
  using Seen = std::map<const Stream*, std::int64_t>;

  Capture(std::uint64_t number, Stream& first);

  const std::uint64_t number;
  const std::thread::id thread = std::this_thread::get_id();

  bool has_failed() const { return failed_; }
  /// Returns true if the capture has a stream of the device.
  bool uses(std::int32_t device) const;

  void record(const Stream& stream, Stream::Bind bind);
  const Seen& position(const Stream& stream) { return seen_[&stream]; }
  /// Makes later work of `stream` wait for the position `position`. The stream joins the capture if
  /// it has not yet.
  void wait(Stream& stream, const Seen& position);
  /// Releases the streams and returns the graph. Throws Failure, in CUDA's words, for a stream
  /// other than the first, another thread, work that the first stream does not wait for, and a
  /// capture that has failed.
  Graph end(const Stream& stream);
  /// Makes the capture fail: it records nothing more, and end() throws.
  void fail() { failed_ = true; }

 private:
  struct Node {
    Stream::Bind bind;
    Seen after;  // position that must be reached before
  };
  void append_until(const Stream* stream, std::int64_t count, Seen& done, Graph& graph);

  Stream& first_;
  bool failed_ = false;
  std::map<const Stream*, std::vector<Node>> nodes_;
  std::map<const Stream*, Seen> seen_;
  std::vector<Stream*> streams_;
};

/// CUDA's errors around captures.
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

/// Throws `error`. If `capture` is given, the capture fails.
[[noreturn]] void refuse(CaptureError error, Capture* capture = nullptr);

}  // namespace tern::sim
