#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/runtime/runtime.h>

// Streams, events and graphs. The device of a stream is looked up here: asking CUDA in a thread
// without a device could start a device that nobody uses.

namespace tern::cuda::device {
namespace {

struct Streams {
  std::mutex mutex;
  std::unordered_map<void*, std::int32_t> devices;
};
// Never destroyed: another thread may wait for a stream while the process ends.
Streams& streams() {
  static Streams& streams = *new Streams;
  return streams;
}

void remember_stream(void* stream, std::int32_t device) {
  const std::lock_guard lock(streams().mutex);
  streams().devices.emplace(stream, device);
}

std::int32_t device_of(void* stream) {
  const std::lock_guard lock(streams().mutex);
  const auto found = streams().devices.find(stream);
  return found == streams().devices.end() ? 0 : found->second;
}

std::int32_t is_done(cudaError_t error, PluginStatus* status) {
  if (error == cudaErrorNotReady) {
    succeeds(error);
    return 0;
  }
  return check_waited(error, status) ? 1 : 0;
}

struct Event {
  std::int32_t device;
  cudaEvent_t event;
};
Event& event_of(void* handle) { return *static_cast<Event*>(handle); }

}  // namespace

void* stream_create(std::int32_t device, std::int32_t high_priority, PluginStatus* status) {
  start_device(device, status);
  if (status->code != StatusCode::kOk) return nullptr;
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return nullptr;
  const RelaxedCapture relaxed;  // CUDA's documentation does not say whether a capture allows it
  int lowest = 0, highest = 0;
  if (!check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), status)) return nullptr;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                     high_priority != 0 ? highest : lowest),
        status);
  if (stream != nullptr) remember_stream(stream, device);
  return stream;
}

void stream_destroy(void* stream, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return;
  check(cudaStreamDestroy(static_cast<cudaStream_t>(stream)), status);
}

void stream_synchronize(void* handle, PluginStatus* status) {
  const auto stream = static_cast<cudaStream_t>(handle);
  const std::int32_t device = device_of(stream);
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return;
  if (check_waited(cudaStreamSynchronize(stream), status)) take_error(device, status);
}

std::int32_t stream_query(void* stream, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return 0;
  return is_done(cudaStreamQuery(static_cast<cudaStream_t>(stream)), status);
}

void stream_wait(void* stream, void* event, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return;
  check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), event_of(event).event, 0), status);
}

void device_synchronize(std::int32_t device, PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return;
  if (check_waited(cudaDeviceSynchronize(), status)) take_error(device, status);
}

void* event_create(std::int32_t device, std::uint32_t flags, PluginStatus* status) {
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return nullptr;
  const RelaxedCapture relaxed;
  cudaEvent_t event = nullptr;
  if (!check(cudaEventCreateWithFlags(&event, flags), status)) return nullptr;
  return new Event{device, event};
}

void event_destroy(void* event, PluginStatus* status) {
  const std::unique_ptr<Event> owned(&event_of(event));
  const DeviceScope scope(owned->device, status);
  if (scope.is_current()) check(cudaEventDestroy(owned->event), status);
}

void event_record(void* event, void* stream, PluginStatus* status) {
  const DeviceScope scope(event_of(event).device, status);
  if (!scope.is_current()) return;
  check(cudaEventRecord(event_of(event).event, static_cast<cudaStream_t>(stream)), status);
}

std::int32_t event_query(void* event, PluginStatus* status) {
  const DeviceScope scope(event_of(event).device, status);
  if (!scope.is_current()) return 0;
  return is_done(cudaEventQuery(event_of(event).event), status);
}

void event_synchronize(void* event, PluginStatus* status) {
  const DeviceScope scope(event_of(event).device, status);
  if (!scope.is_current()) return;
  if (check_waited(cudaEventSynchronize(event_of(event).event), status)) {
    take_error(event_of(event).device, status);
  }
}

double event_elapsed(void* start, void* end, PluginStatus* status) {
  const DeviceScope scope(event_of(start).device, status);
  if (!scope.is_current()) return 0;
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, event_of(start).event, event_of(end).event), status);
  return milliseconds;
}

void capture_begin(void* stream, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return;
  check(cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeThreadLocal),
        status);
}

void* capture_end(void* stream, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return nullptr;
  cudaGraph_t recorded = nullptr;
  if (!check(cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &recorded), status)) {
    return nullptr;
  }
  cudaGraphExec_t graph = nullptr;
  if (check(cudaGraphInstantiate(&graph, recorded, 0), status)) {
    // Upload now. A failure is ignored, because the first launch reports it again.
    succeeds(cudaGraphUpload(graph, static_cast<cudaStream_t>(stream)));
  }
  succeeds(cudaGraphDestroy(recorded));
  return graph;
}

std::uint64_t stream_capture(void* stream, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return 0;
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  unsigned long long number = 0;
  if (!check(cudaStreamGetCaptureInfo(static_cast<cudaStream_t>(stream), &state, &number),
             status)) {
    return 0;
  }
  return state == cudaStreamCaptureStatusActive ? number : 0;
}

void graph_launch(void* graph, void* stream, PluginStatus* status) {
  const DeviceScope scope(device_of(stream), status);
  if (!scope.is_current()) return;
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream)),
        status);
}

void graph_destroy(void* graph, PluginStatus* status) {
  check(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)), status);
}

}  // namespace tern::cuda::device
