#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/kernels/collectives.h>
#include <tern/core/kernels/optim/formulas.h>
#include <tern/core/kernels/slots.h>
#include <tern/generated/kernel_families.h>

// The interface between libtern and a GPU plugin: plain data and tables of plain functions in both
// directions. A plugin uses no symbol of libtern, throws no exception across the interface and is
// never closed.

namespace tern::kernels {

/// The version of the interface. Increase it when the meaning of something that a plugin sees
/// changes while its size does not.
constexpr std::uint64_t kPluginVersion = 3;

/// How a call of the plugin ended. The caller passes a new object; only a failure writes to it.
struct PluginStatus {
  StatusCode code = StatusCode::kOk;
  char message[504] = {};
};

/// The properties of one device.
struct PluginDevice {
  char name[256];
  std::int64_t total_memory;
  std::int32_t major, minor;  // compute capability
  std::int32_t multi_processor_count;
  std::int32_t max_threads_per_multi_processor;
  std::int32_t warp_size;
};

/// A block of libtern's allocator, for messages that explain an address.
struct PluginBlock {
  const void* start;
  std::int64_t bytes;
  std::int64_t serial;  // allocation number on this device, from 1
  void* stream;         // the stream that owns the block
  std::int32_t live;    // 0: freed, waiting for reuse
  std::int32_t graph;   // 1: reserved for graphs, whose kernels use it, live or not
};

/// The functions and data that libtern offers to a plugin.
struct PluginHost {
  std::uint64_t build_id;
  std::int32_t simulated_devices;  // number of devices that the simulator creates
  /// Fills `block` with the block of `device` that contains `address` and returns 1; returns 0 if
  /// there is none. Takes no lock that the caller may already hold, so a signal handler may call
  /// it.
  std::int32_t (*find_block)(std::int32_t device, const void* address, PluginBlock* block);
  /// Returns memory of libtern's caching allocator for work on the calling thread's current stream
  /// of `device`; null with the reason in the status if there is none. After deallocate(), later
  /// work of the stream may reuse the memory.
  void* (*allocate)(std::int32_t device, std::size_t bytes, PluginStatus*);
  void (*deallocate)(std::int32_t device, void* pointer);
  /// Records a point with this name, a string literal, if a profile records.
  void (*note)(const char* text);
};

/// A call that a test makes fail. kKernel: a kernel faults while it runs, and its device is lost.
enum class PluginFault : std::int32_t { kAllocate, kAllocateHost, kLaunch, kCopy, kKernel, kCount };

/// The device number of the host in a copy.
constexpr std::int32_t kHostDevice = -1;

/// The functions and data that a plugin offers. Streams and events are pointers that only the
/// plugin can read. Only exchange_device and restore_device depend on the current device. Copies
/// and kernels are queued; the next call that waits reports their errors, once. After a fault that
/// ends the use of a device (an illegal memory access), every call for the device fails with
/// kDeviceFault and names the first cause. All functions may be called from any thread.
struct Plugin {
  std::uint64_t build_id;          // these two stay first: any libtern can then reject any plugin
  const char* unavailable_reason;  // null when the devices can be used
  const char* name;
  std::int32_t device_count;
  std::int32_t driver_started;  // 1: the driver had to be started to count the devices

  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name and parameters take none.
#define TERN_PLUGIN_CALL(result, name, parameters) result(*name) parameters;
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL

  /// Makes the n-th call of this kind from now on (1 is the next) fail; -n: that call and all later
  /// ones; 0 disables the fault. Null in a plugin without fault injection.
  void (*inject)(PluginFault fault, std::int64_t n);

  KernelTable kernels;
};

/// The only symbol of a plugin. The result is never null and lives as long as the process.
using PluginEntry = const Plugin* (*)(const PluginHost* host);
constexpr const char* kPluginEntryName = "tern_plugin_entry";

namespace detail {

constexpr std::uint64_t hash_bytes(std::uint64_t hash, const char* text) {
  for (; *text != '\0'; ++text) {  // FNV-1a
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ULL;
  }
  return hash;
}

constexpr std::uint64_t hash_number(std::uint64_t hash, std::uint64_t number) {
  for (int i = 0; i < 8; ++i, number >>= 8) hash = (hash ^ (number & 0xff)) * 0x100000001b3ULL;
  return hash;
}

template <class... Rules>
constexpr std::uint64_t hash_rules(std::uint64_t hash, OptimRuleList<Rules...>) {
  ((hash = hash_number(hash_bytes(hash, Rules::kName), sizeof(typename Rules::Numbers))), ...);
  return hash;
}

}  // namespace detail

/// Returns a hash that is equal on both sides if the same compiler built both from the same tables.
constexpr std::uint64_t plugin_build_id() {
  std::uint64_t hash = detail::hash_bytes(0xcbf29ce484222325ULL, __VERSION__);
  hash = detail::hash_number(hash, kPluginVersion);
#define TERN_SLOT(name, Args)             \
  hash = detail::hash_bytes(hash, #name); \
  hash = detail::hash_number(hash, sizeof(Args));
#include <tern/generated/kernel_slots.def>
#undef TERN_SLOT
#define TERN_PLUGIN_CALL(result, name, parameters) \
  hash = detail::hash_bytes(hash, #name #parameters);
#include <tern/core/kernels/plugin_calls.def>
#undef TERN_PLUGIN_CALL
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits) \
  hash = detail::hash_bytes(hash, #name);
#include <tern/core/kernels/families/elementwise.def>
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  hash = detail::hash_number(hash, std::size_t{number} * 256 + sizeof(type));
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  hash = detail::hash_rules(hash, OptimRules());
  for (std::size_t size :
       {sizeof(KernelContext), sizeof(PluginStatus), sizeof(PluginDevice), sizeof(PluginBlock),
        sizeof(PluginHost), sizeof(Plugin), sizeof(Collective)}) {
    hash = detail::hash_number(hash, size);
  }
  return hash;
}

}  // namespace tern::kernels
