#include <tern/backends/sim/simulator.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <tern/core/kernels/late_error.h>
#include <tern/core/kernels/visible_devices.h>

namespace tern::sim {
namespace {

constexpr std::size_t kDefaultMemory = std::size_t{4} << 30;
constexpr std::size_t kMostMemory = std::size_t{1} << 40;
constexpr std::size_t kPinnedAlignment = 4096;

Simulator* instance = nullptr;

// Returns the number in an environment variable, or `fallback` if the variable is not set.
std::int64_t environment_number(const char* name, std::int64_t fallback, std::int64_t most) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return fallback;
  std::int64_t number = 0;
  const char* end = value + std::strlen(value);
  const auto [stop, error] = std::from_chars(value, end, number);
  if (error != std::errc() || stop != end || number < 1 || number > most) {
    throw Failure{StatusCode::kDeviceFault, std::string(name) + " must be a number from 1 to " +
                                                std::to_string(most) + ", got '" + value + "'"};
  }
  return number;
}

}  // namespace

Simulator& Simulator::get() { return *instance; }

void Simulator::start(const kernels::PluginHost& host) { instance = new Simulator(host); }

Simulator::Simulator(const kernels::PluginHost& host) : host_(host) {
  const std::int64_t memory = environment_number(
      "TERN_SIM_MEMORY", static_cast<std::int64_t>(kDefaultMemory), std::int64_t{kMostMemory});
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  for (int ordinal : kernels::visible_devices(visible, host.simulated_devices)) {
    devices_.push_back(std::make_unique<SimDevice>(ordinal, static_cast<std::size_t>(memory)));
  }
  if (devices_.empty()) {
    throw Failure{StatusCode::kDeviceFault,
                  std::string("No CUDA GPUs are available (CUDA_VISIBLE_DEVICES is '") +
                      (visible == nullptr ? "" : visible) + "')"};
  }
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  launches_block_ = blocking != nullptr && std::strcmp(blocking, "1") == 0;
  faults_[static_cast<std::size_t>(kernels::PluginFault::kAllocate)] =
      environment_number("TERN_SIM_FAIL_ALLOC", 0, INT64_MAX);
}

SimDevice& Simulator::device(std::int32_t index) {
  if (index < 0 || index >= device_count()) {
    throw Failure{StatusCode::kDeviceFault, "CUDA error: invalid device ordinal " +
                                                std::to_string(index) + " of " +
                                                std::to_string(device_count())};
  }
  return *devices_[static_cast<std::size_t>(index)];
}

SimDevice& Simulator::started(std::int32_t index) {
  SimDevice& found = device(index);
  if (found.lost.code != StatusCode::kOk) throw found.lost;
  found.has_context = true;
  return found;
}

void Simulator::lose(std::int32_t index, const char* cause) {
  char text[256];
  kernels::write_lost_device(text, sizeof(text), cause, index);
  device(index).lost = {StatusCode::kDeviceFault, text};
}

std::int32_t Simulator::owner(const void* address) const {
  for (std::int32_t i = 0; i < device_count(); ++i) {
    if (devices_[static_cast<std::size_t>(i)]->memory.owns(address)) return i;
  }
  return -1;
}

std::string Simulator::describe(const void* address) const {
  const std::int32_t index = owner(address);
  return index < 0 ? "host memory" : "memory of cuda:" + std::to_string(index);
}

bool Simulator::allows_use(const Stream& stream, std::int32_t index, const void* pointer,
                           std::int64_t first, std::int64_t last) {
  kernels::PluginBlock block{};
  if (stream.capture() != nullptr || host_.find_block == nullptr ||
      host_.find_block(index, pointer, &block) == 0 || block.graph != 0) {
    return true;
  }
  const char* start = static_cast<const char*>(pointer);
  return device(index).reuse.allows(stream, block, start + first, start + last);
}

void Simulator::keep_error(std::int32_t index, Failure failure) {
  Failure& first = device(index).error;
  if (first.code == StatusCode::kOk) first = std::move(failure);
}

void Simulator::throw_error(std::int32_t index) {
  Failure& first = started(index).error;
  if (first.code == StatusCode::kOk) return;
  throw std::exchange(first, Failure{StatusCode::kOk, ""});
}

void* Simulator::allocate_host(std::size_t bytes) {
  const std::size_t rounded = (bytes + kPinnedAlignment - 1) / kPinnedAlignment * kPinnedAlignment;
  void* pointer = rounded < bytes ? nullptr : std::aligned_alloc(kPinnedAlignment, rounded);
  if (pointer == nullptr || fault_due(kernels::PluginFault::kAllocateHost)) {
    std::free(pointer);
    throw Failure{StatusCode::kOutOfMemory,
                  "CUDA error: out of memory (" + std::to_string(bytes) + " pinned bytes)"};
  }
  pinned_[static_cast<const char*>(pointer)] = bytes;
  return pointer;
}

void Simulator::release_host(void* pointer) {
  for (int i = 0; i < device_count(); ++i) drain(i);
  if (pinned_.erase(static_cast<const char*>(pointer)) == 0) {
    throw Failure{StatusCode::kDeviceFault, "CUDA error: not a pointer of pinned memory"};
  }
  std::free(pointer);
}

bool Simulator::is_pinned(const void* pointer, std::size_t bytes) const {
  const char* first = static_cast<const char*>(pointer);
  auto block = pinned_.upper_bound(first);
  if (block == pinned_.begin()) return false;
  --block;
  return first + bytes <= block->first + block->second;
}

bool Simulator::fault_due(kernels::PluginFault fault) {
  std::int64_t& left = faults_[static_cast<std::size_t>(fault)];
  if (left == -1) return true;  // this call and all later calls
  if (left < 0) ++left;
  return left > 0 && --left == 0;
}

void Simulator::inject(kernels::PluginFault fault, std::int64_t n) {
  faults_[static_cast<std::size_t>(fault)] = n;
}

void Simulator::drain(std::int32_t index) {
  for (const std::weak_ptr<Capture>& each : capturing_) {
    const std::shared_ptr<Capture> capture = each.lock();
    if (capture != nullptr && capture->uses(index)) {
      refuse(CaptureError::kUnsupported, capture.get());
    }
  }
  for (const auto& stream : device(index).streams) stream->run_all();
}

void Simulator::begin_capture(Stream& stream) {
  if (stream.capture() != nullptr) refuse(CaptureError::kUnsupported, stream.capture().get());
  const auto capture = std::make_shared<Capture>(++captures_, stream);
  std::erase_if(capturing_, [](const auto& each) { return each.expired(); });
  capturing_.push_back(capture);
  stream.set_capture(capture);
}

void Simulator::refuse_while_capturing() {
  for (const std::weak_ptr<Capture>& each : capturing_) {
    const std::shared_ptr<Capture> capture = each.lock();
    if (capture != nullptr && capture->thread == std::this_thread::get_id()) {
      refuse(CaptureError::kUnsupported, capture.get());
    }
  }
}

}  // namespace tern::sim
