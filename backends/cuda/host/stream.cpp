#include <tern/backends/cuda/host/stream.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>

namespace tern::cuda {
namespace detail {

using kernels::Plugin;

struct StreamState {
  void* handle = nullptr;
  DeviceIndex device = -1;
  std::int64_t id = 0;
};

namespace {

constexpr int kPoolStreams = 32;  // per priority

// The streams of one device, created on first use.
struct DeviceStreams {
  std::mutex mutex;
  StreamState streams[1 + 2 * kPoolStreams];  // [0] is the default stream, the rest is the pool
  int next[2] = {};                           // next index in the pool, per priority
};

DeviceStreams& streams_of(DeviceIndex device) {
  static DeviceStreams* const all = new DeviceStreams[kMaxDevices];
  return all[device];
}

const StreamState* stream_at(DeviceIndex device, int id, bool high_priority) {
  DeviceStreams& owner = streams_of(device);
  const std::lock_guard lock(owner.mutex);
  StreamState& state = owner.streams[id];
  if (state.handle == nullptr) {
    state.handle = call(&Plugin::stream_create, device, high_priority ? 1 : 0);
    state.device = device;
    state.id = id;
  }
  return &state;
}

}  // namespace

namespace {
constinit std::atomic<bool> pool_streams = false;
}
bool has_pool_streams() { return pool_streams.load(std::memory_order_relaxed); }

bool captures_on(DeviceIndex device) {
  DeviceStreams& owner = streams_of(device);
  const std::lock_guard lock(owner.mutex);
  return std::any_of(std::begin(owner.streams), std::end(owner.streams), [](const auto& stream) {
    return stream.handle != nullptr && call(&Plugin::stream_capture, stream.handle) != 0;
  });
}

namespace {

// The id + 1 of the current stream of each device; 0 means the default stream, which may not exist
// yet. Pointers would take half of the thread-locals of libtern, for which a program that opens it
// late has little room.
thread_local constinit std::uint8_t current_streams[kMaxDevices] = {};
static_assert(1 + 2 * kPoolStreams <= UINT8_MAX);

}  // namespace
}  // namespace detail

using detail::call;
using kernels::Plugin;

DeviceIndex Stream::device_index() const { return state_->device; }
std::int64_t Stream::id() const { return state_->id; }
void* Stream::stream() const { return state_->handle; }
bool Stream::query() const { return call(&Plugin::stream_query, state_->handle) != 0; }
void Stream::synchronize() const { call(&Plugin::stream_synchronize, state_->handle); }

Stream getDefaultCUDAStream(StrictDeviceIndex device) {
  return Stream(detail::stream_at(detail::resolve(device), 0, false));
}

Stream getStreamFromPool(StrictBool high_priority, StrictDeviceIndex device) {
  device = detail::resolve(device);
  detail::DeviceStreams& owner = detail::streams_of(device);
  detail::pool_streams.store(true, std::memory_order_relaxed);
  int id = 0;
  {
    const std::lock_guard lock(owner.mutex);
    int& next = owner.next[high_priority ? 1 : 0];
    id = 1 + next + (high_priority ? detail::kPoolStreams : 0);
    next = (next + 1) % detail::kPoolStreams;
  }
  return Stream(detail::stream_at(device, id, high_priority));
}

Stream getCurrentCUDAStream(StrictDeviceIndex device) {
  device = detail::resolve(device);
  std::uint8_t& current = detail::current_streams[device];
  if (current == 0) {
    detail::stream_at(device, 0, false);
    current = 1;
  }
  return Stream(&detail::streams_of(device).streams[current - 1]);
}

void setCurrentCUDAStream(Stream stream) {
  detail::current_streams[stream.device_index()] = static_cast<std::uint8_t>(stream.id() + 1);
}

StreamGuard::StreamGuard(Stream stream)
    : current_(stream),
      previous_(getCurrentCUDAStream(stream.device_index())),
      previous_device_(detail::exchange_device(stream.device_index())) {
  setCurrentCUDAStream(stream);
}

StreamGuard::~StreamGuard() {
  setCurrentCUDAStream(previous_);
  detail::restore_device(previous_device_);
}

Event::~Event() {
  const kernels::Plugin* plugin = detail::loaded_plugin().plugin;
  if (event_ == nullptr || plugin == nullptr) return;  // none in a forked child
  kernels::PluginStatus ignored;
  plugin->event_destroy(event_, &ignored);
}

Event::Event(Event&& other) noexcept
    : event_(std::exchange(other.event_, nullptr)),
      recorded_on_(other.recorded_on_),
      flags_(other.flags_) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(recorded_on_, other.recorded_on_);
  std::swap(flags_, other.flags_);
  return *this;
}

CUDAEvent::CUDAEvent(StrictInteger<unsigned> flags) : Event(Flags{flags}) {
  constexpr unsigned kBlockingSync = 1;
  TERN_CHECK((flags & ~(kDisableTiming | kBlockingSync)) == 0, Error,
             "CUDAEvent: flags must be 0, ", kBlockingSync, " (blocking sync), ", kDisableTiming,
             " (disable timing) or their sum, got ", unsigned{flags});
}

void Event::record() { record(getCurrentCUDAStream()); }

void Event::record(Stream stream) {
  if (event_ == nullptr) {
    event_ = call(&Plugin::event_create, stream.device_index(), flags_);
    recorded_on_ = stream.state_;
  }
  TERN_CHECK(recorded_on_->device == stream.device_index(), DeviceError, "Event device ",
             recorded_on_->device, " does not match recording stream's device ",
             stream.device_index());
  call(&Plugin::event_record, event_, stream.stream());
  recorded_on_ = stream.state_;
}

void Event::block(Stream stream) const {
  if (event_ == nullptr) return;
  detail::spread_capture(Stream(recorded_on_), stream);
  call(&Plugin::stream_wait, stream.stream(), event_);
}

bool Event::query() const { return event_ == nullptr || call(&Plugin::event_query, event_) != 0; }

void Event::synchronize() const {
  if (event_ != nullptr) call(&Plugin::event_synchronize, event_);
}

float Event::elapsed_time(const Event& end) const {
  TERN_CHECK(is_created() && end.is_created(), DeviceError,
             "Both events must be recorded before calculating elapsed time.");
  return static_cast<float>(call(&Plugin::event_elapsed, event_, end.event_));
}

}  // namespace tern::cuda
