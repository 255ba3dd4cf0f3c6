#include <tern/backends/sim/capture.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tern/backends/sim/failure.h>

namespace tern::sim {
namespace {

const char* text_of(CaptureError error) {
  switch (error) {
    case CaptureError::kUnsupported:
      return "operation not permitted when stream is capturing";
    case CaptureError::kInvalidated:
      return "operation failed due to a previous error during capture";
    case CaptureError::kMerge:
      return "operation would result in a merge of separate capture sequences";
    case CaptureError::kUnmatched:
      return "capture was not ended in the same stream as it began";
    case CaptureError::kUnjoined:
      return "capturing stream has unjoined work";
    case CaptureError::kIsolation:
      return "dependency created on uncaptured work in another stream";
    case CaptureError::kCapturedEvent:
      return "operation not permitted on an event last recorded in a capturing stream";
    case CaptureError::kWrongThread:
      return "attempt to terminate a thread-local capture sequence from another thread";
  }
  return "?";
}

void merge(Capture::Seen& into, const Capture::Seen& from) {
  for (const auto& [stream, count] : from) into[stream] = std::max(into[stream], count);
}

}  // namespace

void refuse(CaptureError error, Capture* capture) {
  if (capture != nullptr) capture->fail();
  throw Failure{StatusCode::kDeviceFault, std::string("CUDA error: ") + text_of(error)};
}

Capture::Capture(std::uint64_t number_, Stream& first)
    : number(number_), first_(first), streams_{&first} {}

bool Capture::uses(std::int32_t device) const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [device](const Stream* stream) { return stream->device() == device; });
}

void Capture::record(const Stream& stream, Stream::Bind bind) {
  if (failed_) refuse(CaptureError::kInvalidated);
  nodes_[&stream].push_back({std::move(bind), seen_[&stream]});
  ++seen_[&stream][&stream];
}

void Capture::append_until(const Stream* stream, std::int64_t count, Seen& done, Graph& graph) {
  for (std::int64_t& next = done[stream]; next < count; ++next) {
    Node& node = nodes_[stream][static_cast<std::size_t>(next)];
    for (const auto& [other, needed] : node.after) {
      if (other != stream) append_until(other, needed, done, graph);
    }
    graph.push_back(std::move(node.bind));
  }
}

void Capture::wait(Stream& stream, const Seen& position) {
  if (stream.capture() == nullptr) {
    stream.set_capture(first_.capture());
    streams_.push_back(&stream);
  }
  merge(seen_[&stream], position);
}

Graph Capture::end(const Stream& stream) {
  if (&stream != &first_) refuse(CaptureError::kUnmatched, this);
  if (thread != std::this_thread::get_id()) refuse(CaptureError::kWrongThread, this);
  const std::shared_ptr<Capture> self = first_.capture();  // outlives the streams' references
  for (Stream* each : streams_) each->set_capture(nullptr);
  if (failed_) refuse(CaptureError::kInvalidated);
  Seen& joined = seen_[&first_];
  for (const Stream* each : streams_) {
    if (joined[each] < seen_[each][each]) refuse(CaptureError::kUnjoined);
  }
  Graph graph;
  Seen done;
  append_until(&first_, joined[&first_], done, graph);
  for (const auto& [other, count] : joined) append_until(other, count, done, graph);
  return graph;
}

}  // namespace tern::sim
