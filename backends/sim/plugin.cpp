#include <tern/core/kernels/plugin.h>

#include <cstring>
#include <string>
#include <utility>

#include <tern/backends/sim/calls.h>
#include <tern/backends/sim/host_access.h>
#include <tern/backends/sim/launch.h>

namespace tern::sim {

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
    const DeviceMemory& memory = simulator.started(index).memory;
    *total = static_cast<std::int64_t>(memory.total());
    *free = static_cast<std::int64_t>(memory.total() - memory.used());
  });
}

std::int32_t has_context(std::int32_t index) {
  PluginStatus ignored;
  return locked(&ignored, [&](Simulator& simulator) -> std::int32_t {
    return simulator.device(index).has_context ? 1 : 0;
  });
}

namespace {
thread_local std::int32_t runtime_device = 0;
}

std::int32_t exchange_device(std::int32_t index, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) {
    if (index != runtime_device) simulator.started(index);
    return std::exchange(runtime_device, index);
  });
}

void restore_device(std::int32_t before) { runtime_device = before; }

std::int32_t can_access_peer(std::int32_t device, std::int32_t peer) {
  return device != peer ? 1 : 0;
}

void* allocate(std::int32_t index, std::size_t bytes, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) {
    SimDevice& device = simulator.started(index);
    void* pointer =
        simulator.fault_due(PluginFault::kAllocate) ? nullptr : device.memory.allocate(bytes);
    if (pointer == nullptr) throw Failure{StatusCode::kOutOfMemory, "CUDA error: out of memory"};
    return pointer;
  });
}

void release(std::int32_t index, void* pointer, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.started(index);
    simulator.drain(index);
    if (!simulator.device(index).memory.release(pointer)) {
      throw Failure{StatusCode::kDeviceFault, "CUDA error: not a pointer that was allocated"};
    }
  });
}

void* allocate_host(std::int32_t index, std::size_t bytes, PluginStatus* status) {
  return locked(status, [&](Simulator& simulator) {
    simulator.started(index);
    return simulator.allocate_host(bytes);
  });
}

void release_host(std::int32_t index, void* pointer, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    simulator.started(index);
    simulator.release_host(pointer);
  });
}

namespace {

// Checks the memory of a copy and returns the address to use: for a device, the kernel-side one.
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

}  // namespace

void copy(void* to, std::int32_t to_device, const void* from, std::int32_t from_device,
          std::size_t bytes, void* stream, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) {
    if (bytes == 0) return;
    if (simulator.fault_due(PluginFault::kCopy)) {
      throw Failure{StatusCode::kDeviceFault, "CUDA error: copy failed (injected)"};
    }
    Stream& queue = *static_cast<Stream*>(stream);
    simulator.started(queue.device());
    for (const auto& [pointer, device] :
         {std::pair(static_cast<const void*>(to), to_device), std::pair(from, from_device)}) {
      if (device == kHostDevice && !simulator.is_pinned(pointer, bytes)) not_capturing(queue);
    }
    for (const auto& [pointer, device] :
         {std::pair(static_cast<const void*>(to), to_device), std::pair(from, from_device)}) {
      if (device == kHostDevice ||
          simulator.allows_use(queue, device, pointer, 0, static_cast<std::int64_t>(bytes))) {
        continue;
      }
      throw reused_too_early("one side of a copy on cuda:" + std::to_string(device));
    }
    queue.give([=, &simulator]() -> Stream::Work {
      char* out = copy_side(simulator, to, to_device, bytes);
      const char* in = copy_side(simulator, from, from_device, bytes);
      return [out, in, bytes](KernelContext&) { std::memmove(out, in, bytes); };
    });
  });
}

void take_error(std::int32_t index, PluginStatus* status) {
  locked_call(status, [&](Simulator& simulator) { simulator.throw_error(index); });
}

namespace {

void inject(PluginFault fault, std::int64_t n) {
  PluginStatus ignored;
  locked_call(&ignored, [&](Simulator& simulator) { simulator.inject(fault, n); });
}

Plugin make_plugin() {
  Plugin plugin{};
  plugin.build_id = plugin_build_id();
  plugin.name = "simulator";
#define TERN_PLUGIN_CALL(result, name, parameters) plugin.name = name;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL
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
