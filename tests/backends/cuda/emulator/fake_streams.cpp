#include <backends/cuda/emulator/fake_runtime.h>

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

// Streams, events and graphs.

namespace tern::emulator {
namespace {

thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

void run_first(FakeStream& stream) {
  const std::function<void()> work = std::move(stream.queue.front());
  stream.queue.pop_front();
  work();
}
void run_until(FakeStream& stream, const bool& done) {
  while (!done && !stream.queue.empty()) run_first(stream);
}

float now() {
  using Milliseconds = std::chrono::duration<float, std::milli>;
  static const auto start = std::chrono::steady_clock::now();
  return Milliseconds(std::chrono::steady_clock::now() - start).count() + milliseconds();
}

}  // namespace

// Never destroyed: streams may be used until the process ends.
FakeRuntime& fake_runtime() {
  static FakeRuntime& runtime = *new FakeRuntime;
  return runtime;
}

FakeStream* FakeRuntime::stream_of(cudaStream_t stream) const {
  const auto found = streams.find(static_cast<FakeStream*>(stream));
  return found == streams.end() ? nullptr : *found;
}

cudaError_t refuse(cudaError_t error) {
  last_error() = error;
  return error;
}

bool is_fast() {
  static const bool fast = std::getenv("TERN_FAST_GPU") != nullptr;
  return fast;
}

void enqueue(FakeStream& stream, std::function<void()> work) {
  stream.queue.push_back(std::move(work));
  if (is_fast()) run_all(stream);
}

void run_all(FakeStream& stream) {
  while (!stream.queue.empty()) run_first(stream);
}

cudaError_t wait_for(FakeStream& stream) {
  if (stream.capture != nullptr) {
    stream.capture->is_invalid = true;
    return refuse(cudaErrorStreamCaptureUnsupported);
  }
  run_all(stream);
  return cudaSuccess;
}

bool is_unsafe() {
  if (capture_mode == cudaStreamCaptureModeRelaxed) return false;
  bool captures = false;
  for (FakeStream* each : fake_runtime().streams) {
    if (each->capture == nullptr || each->capture->owner != std::this_thread::get_id()) continue;
    each->capture->is_invalid = captures = true;
  }
  return captures;
}

bool is_queue(cudaStream_t stream) {
  const FakeLock lock(fake_runtime().mutex);
  return fake_runtime().stream_of(stream) != nullptr;
}

cudaError_t submit(cudaStream_t handle, std::function<void()> work) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) {
    work();
    return cudaSuccess;
  }
  if (stream->device != runtime_device()) return refuse(cudaErrorInvalidResourceHandle);
  if (stream->capture == nullptr) {
    enqueue(*stream, std::move(work));
    return cudaSuccess;
  }
  if (stream->capture->is_invalid) return refuse(cudaErrorStreamCaptureInvalidated);
  stream->capture->work.push_back(std::move(work));
  ++stream->works;
  return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t& config, const Kernel& kernel,
                   const void* const* arguments) {
  using Unit = std::max_align_t;
  std::vector<std::vector<Unit>> copies(kernel.parameters);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i].resize((kernel.sizes[i] + sizeof(Unit) - 1) / sizeof(Unit));
    std::memcpy(copies[i].data(), arguments[i], kernel.sizes[i]);
  }
  return submit(config.stream, [grid = config.grid, block = config.block, kernel, copies] {
    std::vector<const void*> addresses;
    for (const std::vector<Unit>& copy : copies) addresses.push_back(copy.data());
    run({grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
        [&] { kernel.call(kernel.function, addresses.data()); });
  });
}

void finish(cudaStream_t handle) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) return;
  if (stream->capture != nullptr) throw std::logic_error("the emulator cannot capture this call");
  run_all(*stream);
}

}  // namespace tern::emulator

using namespace tern::emulator;

using Work = std::function<void()>;

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  const FakeLock lock(fake_runtime().mutex);
  auto* const created = new FakeStream;
  created->device = runtime_device();
  fake_runtime().streams.insert(created);
  *stream = created;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) return refuse(cudaErrorInvalidResourceHandle);
  run_all(*stream);
  fake_runtime().streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  return stream == nullptr ? refuse(cudaErrorInvalidResourceHandle) : wait_for(*stream);
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) return refuse(cudaErrorInvalidResourceHandle);
  if (stream->capture != nullptr) return wait_for(*stream);
  if (stream->queue.empty()) return cudaSuccess;
  run_first(*stream);
  return refuse(cudaErrorNotReady);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new FakeEvent;
  (*event)->device = runtime_device();
  (*event)->has_time = (flags & 2) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const FakeLock lock(fake_runtime().mutex);
  // Queued work of the event's stream may still write its time.
  if (event->stream != nullptr && fake_runtime().streams.count(event->stream) != 0) {
    run_until(*event->stream, *event->is_done);
  }
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) {
    event->time = now();
    return cudaSuccess;
  }
  if (event->device != stream->device) return refuse(cudaErrorInvalidResourceHandle);
  event->capture = stream->capture;
  event->works = stream->works;
  event->stream = stream;
  event->is_done = std::make_shared<bool>(stream->capture != nullptr);
  if (stream->capture != nullptr) return cudaSuccess;
  enqueue(*stream, [event, done = event->is_done] {
    if (event->is_done == done) event->time = now();
    *done = true;
  });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const FakeLock lock(fake_runtime().mutex);
  if (event->capture != nullptr) return refuse(cudaErrorCapturedEvent);
  if (is_unsafe()) return refuse(cudaErrorStreamCaptureUnsupported);
  if (event->is_done == nullptr || *event->is_done) return cudaSuccess;
  if (!event->stream->queue.empty()) run_first(*event->stream);
  return refuse(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const FakeLock lock(fake_runtime().mutex);
  if (event->capture != nullptr) return refuse(cudaErrorCapturedEvent);
  if (is_unsafe()) return refuse(cudaErrorStreamCaptureUnsupported);
  if (event->is_done != nullptr && !*event->is_done) run_until(*event->stream, *event->is_done);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* time, cudaEvent_t start, cudaEvent_t end) {
  const FakeLock lock(fake_runtime().mutex);
  for (const FakeEvent* each : {start, end}) {
    if (!each->has_time) return refuse(cudaErrorInvalidResourceHandle);
    if (each->is_done != nullptr && !*each->is_done) return refuse(cudaErrorNotReady);
  }
  *time = end->time - start->time;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) return refuse(cudaErrorInvalidResourceHandle);
  if (event->capture != nullptr && stream->capture == nullptr) {
    stream->capture = event->capture;
    stream->works = 1;  // the wait
    stream->joined_works = 0;
  }
  if (stream->capture != nullptr) {  // in a graph work keeps its order
    if (stream->began_capture) event->stream->joined_works = event->works;
    return cudaSuccess;
  }
  if (event->is_done == nullptr || *event->is_done) return cudaSuccess;
  enqueue(*stream, [other = event->stream, done = event->is_done] {
    if (fake_runtime().streams.count(other) != 0) run_until(*other, *done);
  });
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr || stream->capture != nullptr) return refuse(cudaErrorInvalidValue);
  stream->capture = std::make_shared<FakeGraph>();
  stream->capture->number = ++fake_runtime().captures;
  stream->capture->owner = std::this_thread::get_id();
  stream->began_capture = true;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr || !stream->began_capture) return refuse(cudaErrorStreamCaptureUnmatched);
  const std::shared_ptr<FakeGraph> ended = stream->capture;
  bool is_joined = true;
  for (FakeStream* each : fake_runtime().streams) {
    if (each->capture != ended) continue;
    is_joined = is_joined && (each->began_capture || each->joined_works == each->works);
    each->capture = nullptr;
  }
  stream->began_capture = false;
  if (ended->is_invalid) return refuse(cudaErrorStreamCaptureInvalidated);
  if (!is_joined) return refuse(cudaErrorStreamCaptureUnjoined);
  *graph = new FakeGraph(*ended);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  unsigned long long number = 0;
  *status = cudaStreamCaptureStatusActive;
  if (tern::emulator::is_capturing()) return cudaSuccess;
  *status = cudaStreamCaptureStatusNone;
  return stream == nullptr ? cudaSuccess : cudaStreamGetCaptureInfo(stream, status, &number);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* number) {
  const FakeLock lock(fake_runtime().mutex);
  FakeStream* const stream = fake_runtime().stream_of(handle);
  *status = cudaStreamCaptureStatusNone;
  if (stream == nullptr || stream->capture == nullptr) return cudaSuccess;
  *number = stream->capture->number;
  *status = stream->capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new FakeGraph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return tern::emulator::submit(stream, [work = graph->work] {
    for (const Work& each : work) each();
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return cudaGraphDestroy(graph); }
