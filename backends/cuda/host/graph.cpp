#include <tern/backends/cuda/host/graph.h>

#include <atomic>
#include <utility>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>

namespace tern::cuda {

using detail::call;
using detail::Recording;
using kernels::Plugin;

MempoolId graph_pool_handle() {
  static constinit std::atomic<std::uint64_t> last{0};
  return {++last};
}

bool is_current_stream_capturing() {
  return detail::recordings != 0 && is_available() &&
         detail::recording_on(getCurrentCUDAStream().stream()) != nullptr;
}

CUDAGraph::CUDAGraph() = default;

CUDAGraph::~CUDAGraph() {
  try {
    reset();
  } catch (const Error&) {
    // The device is lost, and the pool with it.
  }
}

void CUDAGraph::capture_begin(MempoolId pool) {
  const Stream stream = getCurrentCUDAStream();
  TERN_CHECK(
      recording_ == nullptr, Error,
      "This CUDAGraph instance already owns a captured graph. To capture a new graph, create "
      "a new instance.");
  TERN_CHECK(stream != getDefaultCUDAStream(stream.device_index()), Error,
             "CUDA graphs must be captured on a non-default stream. (However, after capture, it's "
             "ok to replay them on the default stream.)");
  if (pool == MempoolId{}) pool = graph_pool_handle();
  auto recording = std::make_unique<Recording>(pool.id, stream);
  call(&Plugin::capture_begin, stream.stream());
  try {
    recording->capture = call(&Plugin::stream_capture, stream.stream());
    detail::add_recording(*recording);
  } catch (...) {
    kernels::PluginStatus ignored;
    void* empty = detail::plugin().capture_end(stream.stream(), &ignored);
    if (empty != nullptr) detail::plugin().graph_destroy(empty, &ignored);
    throw;
  }
  recording_ = std::move(recording);
  capturing_ = true;
}

void CUDAGraph::end_recording() {
  capturing_ = false;
  detail::remove_recording(*recording_);
  recording_->end();
}

void CUDAGraph::capture_end() {
  TERN_CHECK(capturing_, Error, "CUDAGraph::capture_end: no capture has begun");
  TERN_CHECK(getCurrentCUDAStream() == recording_->stream, Error,
             "Capture must end on the same stream it began on.");
  try {
    recording_->finish_capture();
  } catch (...) {
    reset();
    throw;
  }
  kernels::PluginStatus status;
  graph_ = detail::plugin().capture_end(recording_->stream.stream(), &status);
  end_recording();
  if (status.code != kernels::StatusCode::kOk) {
    reset();
    detail::check(status);
  }
  mark_last(recording_->stream);
}

void CUDAGraph::wait_for_last(Stream stream) const {
  if (last_ && last_ != stream) earlier_.block(stream);
}

void CUDAGraph::mark_last(Stream stream) {
  earlier_.record(stream);
  last_ = stream;
}

void CUDAGraph::capture(const std::function<void()>& body, MempoolId pool,
                        std::optional<Stream> stream) {
  const StreamGuard guard(stream ? *stream : getStreamFromPool());
  capture_begin(pool);
  try {
    body();
    capture_end();
  } catch (...) {
    reset();
    throw;
  }
}

void CUDAGraph::replay() {
  const tern::detail::ProfileScope profile(tern::detail::ProfileKind::kRange, "cudaGraphLaunch");
  TERN_CHECK(graph_ != nullptr, Error,
             "Called CUDAGraph::replay without a preceding successful capture.");
  const Stream stream = getCurrentCUDAStream(recording_->stream.device_index());
  TERN_CHECK(detail::recording_on(stream.stream()) == nullptr, Error,
             "CUDAGraph::replay: a stream that is capturing a graph cannot replay another graph");
  // Runs after the work that prepared the graph's inputs, and after the previous replay, whose
  // arguments are overwritten now.
  wait_for_last(stream);
  try {
    recording_->replay([&] {
      call(&Plugin::graph_launch, graph_, stream.stream());
      mark_last(stream);
    });
  } catch (...) {
    try {
      mark_last(stream);  // later work must still wait for the work queued before the error
    } catch (const Error&) {
      // Throw the first error.
    }
    throw;
  }
}

void CUDAGraph::reset() {
  if (recording_ == nullptr) return;
  kernels::PluginStatus ignored;
  if (capturing_) {
    graph_ = detail::plugin().capture_end(recording_->stream.stream(), &ignored);
    end_recording();
  }
  const Plugin* plugin = detail::loaded_plugin().plugin;  // null in a forked child
  void* graph = std::exchange(graph_, nullptr);
  if (graph != nullptr && plugin != nullptr) plugin->graph_destroy(graph, &ignored);
  recording_.reset();
  last_.reset();
  earlier_ = Event();
}

MempoolId CUDAGraph::pool() const {
  TERN_CHECK(graph_ != nullptr, Error,
             "Called CUDAGraph::pool() without a preceding successful capture.");
  return {recording_->pool};
}

}  // namespace tern::cuda
