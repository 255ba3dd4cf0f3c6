#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <tern/backends/cuda/host/stream.h>

namespace tern::cuda {

namespace detail {
class Recording;
}

/// Names a pool of memory for graphs; {} is none.
struct MempoolId {
  std::uint64_t id = 0;
  friend bool operator==(MempoolId, MempoolId) = default;
};
using MempoolId_t = MempoolId;

/// A new name, for graphs that shall share one pool: give it to the capture of each.
TERN_API MempoolId graph_pool_handle();

/// Whether the calling thread's work for the current device is recorded instead of run.
TERN_API bool is_current_stream_capturing();

/// Work of one device, recorded once and run again as a whole, without the host's part of it.
///
///   cuda::CUDAGraph graph;
///   graph.capture([&] { y = net(x); });  // records, runs nothing
///   x.copy_(batch);
///   graph.replay();                      // y has the result
///
/// A replay works on the memory of the capture: fill the inputs in place, read the results before
/// the next one. What was allocated during the capture is the graph's, in a private pool;
/// everything else that it uses must live as long as the graph, which does not keep it. Random
/// numbers go on where the generator stands, as if each replay had drawn them. Not thread-safe.
class TERN_API CUDAGraph {
 public:
  CUDAGraph();
  /// As reset(). A capture that still goes on is ended first.
  ~CUDAGraph();
  CUDAGraph(const CUDAGraph&) = delete;
  CUDAGraph& operator=(const CUDAGraph&) = delete;

  /// From now on the work of the current stream is recorded, and that of streams that wait for it.
  /// Reading results, waiting, and copies of pageable memory throw DeviceError meanwhile, after
  /// which the capture can only end. Graphs with one `pool` share memory: replay them in the order
  /// of their captures, never side by side. Throws Error on a default stream, which other threads
  /// use, too, and for a graph that was captured before.
  void capture_begin(MempoolId pool = {});
  /// Makes the graph ready. Throws Error on another stream, and DeviceError when the capture
  /// failed; the stream runs its work again in any case.
  void capture_end();
  /// Captures what `body` does with `stream`, or one of the pool's, as the current stream. What it
  /// throws ends the capture and goes on.
  void capture(const std::function<void()>& body, MempoolId pool = {},
               std::optional<Stream> stream = {});

  /// Queues everything on the current stream of the graph's device. Throws Error before a capture.
  void replay();
  /// Forgets the graph; its pool is free when no other graph has it and its tensors are gone.
  void reset();
  /// The pool, for further captures.
  MempoolId pool() const;

 private:
  void end_recording();

  std::unique_ptr<detail::Recording> recording_;
  void* graph_ = nullptr;  // the plugin's, after a capture
  bool capturing_ = false;
  bool replayed_ = false;
};

}  // namespace tern::cuda
