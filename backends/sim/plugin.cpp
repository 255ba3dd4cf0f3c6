#include <tern/core/kernels/plugin.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <tern/backends/sim/host_access.h>
#include <tern/backends/sim/launch.h>
#include <tern/backends/sim/simulator.h>

namespace tern::sim {
namespace {

using namespace kernels;

// Runs `body(simulator)` under the lock and turns what it throws into a status.
template <class Body>
auto locked(PluginStatus* status, const Body& body) {
  return guarded(status, [&] {
    Simulator& simulator = Simulator::get();
    const std::lock_guard lock(simulator.mutex);
    return body(simulator);
  });
}

// The same for what returns nothing.
template <class Body>
void locked_call(PluginStatus* status, const Body& body) {
  locked(status, [&](Simulator& simulator) {
    body(simulator);
    return true;
  });
}

void device_facts(std::int32_t index, PluginDevice* facts) {
  PluginStatus ignored;
  locked_call(&ignored, [&](Simulator& simulator) {
    const SimDevice& device = simulator.device(index);
    *facts = {};
    write_message(facts->name, sizeof(facts->name),
                  "Simulated CUDA device " + std::to_string(device.ordinal));
    facts->total_memory = static_cast<std::int64_t>(device.memory.total());
    facts->major = 9;
    facts->multi_processor_count = 1;
    facts->max_threads_per_multi_processor = 2048;
    facts->warp_size = 32;
  });
}

void memory_info(std::int32_t index, std::int64_t* free, std::int64_t* total,
                 PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    const DeviceMemory& memory = simulator.device(index).memory;
    *total = static_cast<std::int64_t>(memory.total());
    *free = static_cast<std::int64_t>(memory.total() - memory.used());
  });
}

void* allocate(std::int32_t index, std::size_t bytes, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) {
    SimDevice& device = simulator.device(index);
    void* pointer =
        simulator.fault_due(PluginFault::kAllocate) ? nullptr : device.memory.allocate(bytes);
    if (pointer == nullptr) throw Failure{StatusCode::kOutOfMemory, "CUDA error: out of memory"};
    return pointer;
  });
}

void release(std::int32_t index, void* pointer, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.drain(index);
    if (!simulator.device(index).memory.release(pointer)) {
      throw Failure{StatusCode::kDeviceFault, "CUDA error: not a pointer that was allocated"};
    }
  });
}

void* allocate_host(std::size_t bytes, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) { return simulator.allocate_host(bytes); });
}

void release_host(void* pointer, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) { simulator.release_host(pointer); });
}

// The address that a copy uses: checked, and the kernels' side of it for a device.
char* copy_side(Simulator& simulator, const void* pointer, std::int32_t device, std::size_t bytes) {
  const char* first = static_cast<const char*>(pointer);
  const bool valid = device == kHostDevice
                         ? simulator.owner(pointer) < 0
                         : simulator.device(device).memory.is_allocated(first, first + bytes);
  if (!valid) {
    throw Failure{StatusCode::kDeviceFault,
                  "CUDA error: invalid argument: a copy of " + std::to_string(bytes) +
                      " bytes was told " +
                      (device == kHostDevice ? "host" : "cuda:" + std::to_string(device)) +
                      " and got " + simulator.describe(pointer)};
  }
  if (device == kHostDevice) return const_cast<char*>(first);
  return simulator.device(device).memory.kernel_address(pointer);
}

void copy(void* to, std::int32_t to_device, const void* from, std::int32_t from_device,
          std::size_t bytes, void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    if (bytes == 0) return;
    if (simulator.fault_due(PluginFault::kCopy)) {
      throw Failure{StatusCode::kDeviceFault, "CUDA error: copy failed (injected)"};
    }
    char* out = copy_side(simulator, to, to_device, bytes);
    const char* in = copy_side(simulator, from, from_device, bytes);
    Stream& queue = *static_cast<Stream*>(stream);
    if (from_device == kHostDevice && !simulator.is_pinned(from, bytes)) {
      queue.submit([out, staged = std::make_shared<std::vector<char>>(in, in + bytes)](
                       KernelContext&) { std::memcpy(out, staged->data(), staged->size()); });
    } else {
      queue.submit([out, in, bytes](KernelContext&) { std::memmove(out, in, bytes); });
    }
    if (to_device == kHostDevice && !simulator.is_pinned(to, bytes)) queue.run_all();
  });
}

void* stream_create(std::int32_t index, std::int32_t, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) -> void* {
    auto& streams = simulator.device(index).streams;
    return streams.emplace_back(std::make_unique<Stream>(index)).get();
  });
}

// The object stays: work of other streams may still name a place in it.
void stream_destroy(void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator&) { static_cast<Stream*>(stream)->run_all(); });
}

void stream_synchronize(void* handle, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    Stream& stream = *static_cast<Stream*>(handle);
    stream.run_all();
    simulator.throw_error(stream.device());
  });
}

// A query tells what was so when it came, and then lets the work go on: polling ends, and callers
// see the "not yet" that a real device would show them.
std::int32_t stream_query(void* handle, PluginStatus* status) {
  return locked(status, [&](Simulator&) -> std::int32_t {
    Stream& stream = *static_cast<Stream*>(handle);
    const bool done = stream.is_done(stream.submitted());
    stream.run_all();
    return done ? 1 : 0;
  });
}

void stream_wait(void* stream, void* handle, PluginStatus* status) {
  locked_call(status, [&](Simulator&) {
    const Event event = *static_cast<Event*>(handle);  // the place that it marks now
    if (event.is_done()) return;
    static_cast<Stream*>(stream)->submit([event](KernelContext&) { event.run(); });
  });
}

void device_synchronize(std::int32_t index, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.drain(index);
    simulator.throw_error(index);
  });
}

void* event_create(std::int32_t index, std::int32_t timing, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) -> void* {
    simulator.device(index);  // must exist
    return new Event{index, timing != 0, nullptr, 0, nullptr};
  });
}

void event_destroy(void* event, PluginStatus*) { delete static_cast<Event*>(event); }

void event_record(void* handle, void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator&) {
    Event& event = *static_cast<Event*>(handle);
    Stream& where = *static_cast<Stream*>(stream);
    if (event.device != where.device()) {
      throw Failure{
          StatusCode::kDeviceFault,
          "CUDA error: invalid resource handle: an event of cuda:" + std::to_string(event.device) +
              " cannot be recorded on a stream of cuda:" + std::to_string(where.device())};
    }
    event.record(where);
  });
}

std::int32_t event_query(void* handle, PluginStatus* status) {
  return locked(status, [&](Simulator&) -> std::int32_t {
    const Event& event = *static_cast<Event*>(handle);
    const bool done = event.is_done();
    event.run();
    return done ? 1 : 0;
  });
}

void event_synchronize(void* handle, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    const Event& event = *static_cast<Event*>(handle);
    event.run();
    simulator.throw_error(event.device);
  });
}

double event_elapsed(void* start, void* end, PluginStatus* status) {
  return locked(status, [&](Simulator&) {
    const Event& first = *static_cast<Event*>(start);
    const Event& second = *static_cast<Event*>(end);
    for (const Event* event : {&first, &second}) {
      if (!event->timing || event->stream == nullptr || !event->is_done()) {
        throw Failure{StatusCode::kDeviceFault,
                      "CUDA error: invalid resource handle: both events must have timing and must "
                      "have been recorded and completed"};
      }
    }
    return *second.milliseconds - *first.milliseconds;
  });
}

void take_error(std::int32_t index, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) { simulator.throw_error(index); });
}

void inject(PluginFault fault, std::int64_t n) {
  PluginStatus ignored;
  locked_call(&ignored, [&](Simulator& simulator) { simulator.inject(fault, n); });
}

Plugin make_plugin() {
  Plugin plugin{};
  plugin.build_id = plugin_build_id();
  plugin.name = "simulator";
  plugin.device_facts = device_facts;
  plugin.memory_info = memory_info;
  plugin.allocate = allocate;
  plugin.release = release;
  plugin.allocate_host = allocate_host;
  plugin.release_host = release_host;
  plugin.copy = copy;
  plugin.stream_create = stream_create;
  plugin.stream_destroy = stream_destroy;
  plugin.stream_synchronize = stream_synchronize;
  plugin.stream_query = stream_query;
  plugin.stream_wait = stream_wait;
  plugin.device_synchronize = device_synchronize;
  plugin.event_create = event_create;
  plugin.event_destroy = event_destroy;
  plugin.event_record = event_record;
  plugin.event_query = event_query;
  plugin.event_synchronize = event_synchronize;
  plugin.event_elapsed = event_elapsed;
  plugin.take_error = take_error;
  plugin.inject = inject;
  plugin.kernels = launch_table();
  return plugin;
}

}  // namespace
}  // namespace tern::sim

extern "C" TERN_API const tern::kernels::Plugin* tern_plugin_entry(
    const tern::kernels::PluginHost* host) {
  using namespace tern::sim;
  static Plugin plugin = make_plugin();
  if (host->build_id != plugin.build_id || plugin.device_count != 0) return &plugin;
  static PluginStatus status;
  guarded(&status, [&] {
    Simulator::start(*host);
    plugin.device_count = Simulator::get().device_count();
    watch_host_accesses();
    return true;
  });
  if (status.code != StatusCode::kOk) plugin.unavailable_reason = status.message;
  return &plugin;
}
