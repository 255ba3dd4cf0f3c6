#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <tern/backends/cuda/host/stream.h>
#include <tern/core/base/own_ptr.h>

namespace tern::cuda {

namespace detail {
class Recording;
}

/// The name of a memory pool for graphs; {} means none.
struct MempoolId {
  /// The number of the pool; 0 for none.
  std::uint64_t id = 0;
  /// Compares the numbers.
  friend bool operator==(MempoolId, MempoolId) = default;
};
/// libtorch's name of MempoolId.
using MempoolId_t = MempoolId;

/// Returns a new name for a pool that several graphs share: pass it to the capture of each.
TERN_API MempoolId graph_pool_handle();

/// Returns true when the calling thread's work for the current device is recorded instead of run.
TERN_API bool is_current_stream_capturing();

/// A sequence of work on one device that is recorded once and then replayed as a whole, without the
/// work of the host.
///
/// A replay works on the memory of the capture: fill the inputs in place before a replay, and read
/// the results before the next one. Memory allocated during the capture belongs to the graph, in a
/// private pool. All other memory that the work uses must live as long as the graph. Random numbers
/// continue from the generator, as if each replay had drawn them. Not thread-safe.
///
/// Example:
///   cuda::CUDAGraph graph;
///   graph.capture([&] { y = net(x); });  // records, runs nothing
///   x.copy_(batch);
///   graph.replay();                      // y has the result
class TERN_API CUDAGraph {
 public:
  /// Makes an empty graph.
  CUDAGraph();
  /// Frees the graph as reset() does. A capture that is not finished is ended first.
  ~CUDAGraph();
  CUDAGraph(const CUDAGraph&) = delete;
  CUDAGraph& operator=(const CUDAGraph&) = delete;

  /// Starts to record the work of the current stream and of all streams that wait for it.
  ///
  /// During a capture, reading results, waiting, and copies of pageable memory throw DeviceError,
  /// and the capture can then only be ended. Graphs with one `pool` share memory: replay them in
  /// the order of their captures, never at the same time. Throws Error on a default stream, because
  /// other threads use it, too, and for a graph that was captured before.
  void capture_begin(MempoolId pool = {});
  /// Ends the recording and makes the graph ready. The stream runs its work again, even if this
  /// throws. Throws Error on a stream other than that of capture_begin(), DeviceError if the
  /// capture failed.
  void capture_end();
  /// Captures the work of `body` on `stream`, or on a stream of the pool. If `body` throws, ends
  /// the capture and rethrows.
  void capture(const std::function<void()>& body, MempoolId pool = {},
               std::optional<Stream> stream = {});

  /// Queues the recorded work on the current stream of the graph's device. Throws Error before a
  /// capture.
  void replay();
  /// Frees the graph. The pool's memory is free when no other graph uses the pool and its tensors
  /// are gone.
  void reset();
  /// Returns the pool, for further captures.
  MempoolId pool() const;

 private:
  friend class GraphedStep;

  void end_recording();
  /// Makes later work of `stream` wait for the last use of the graph's memory.
  void wait_for_last(Stream stream) const;
  /// Makes the present work of `stream` the last use.
  void mark_last(Stream stream);

  OwnPtr<detail::Recording> recording_;
  void* graph_ = nullptr;  // owned by the plugin; set after a capture
  bool capturing_ = false;
  std::optional<Stream> last_;  // stream of the last use: the capture, then the last replay
  Event earlier_;               // the end of the last use
};

}  // namespace tern::cuda
