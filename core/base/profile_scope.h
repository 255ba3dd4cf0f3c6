#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tern/core/base/running_module.h>
#include <tern/core/base/visibility.h>

// Ops, modules and threads report to the profiler here; train/profiler makes tables and traces of
// the reports. While no profile records, a scope costs one relaxed load.

namespace tern::detail {

struct ProfileEvent;
class ProfileLog;

/// What a profile can record.
enum class ProfileKind : std::uint8_t {
  kOp,      // a public op
  kNode,    // a gradient rule that backward runs
  kModule,  // the forward of a module
  kKernel,  // a kernel of a backend: the time of the launch on devices that queue their work
  kRange,   // a named range, of the user or of tern
  kPart,    // the share that a thread of the pool has in a parallel loop
  kMemory,  // an allocation or, with negative bytes, a free
};

/// The bits of `profile_bits`.
enum ProfileBit : unsigned {
  kProfileEvents = 1,      // records events
  kProfileMemory = 2,      // records allocations and frees, too
  kProfileShapes = 4,      // records the sizes of ops' inputs, too
  kProfileDeviceTime = 8,  // measures kernels on their devices, too
  kProfileNvtx = 16,       // marks ranges for NVIDIA's tools
};

/// The sum of the bits that are on; 0 while nothing observes the program.
extern TERN_API std::atomic<unsigned> profile_bits;

/// Returns true while scopes must report themselves.
inline bool is_profiled() { return profile_bits.load(std::memory_order_relaxed) != 0; }
/// Returns true if `bit` is on.
inline bool is_profiled(ProfileBit bit) {
  return (profile_bits.load(std::memory_order_relaxed) & bit) != 0;
}

/// Records one event from its beginning to its end, also when an exception ends the scope. Scopes
/// of a thread must nest.
class ProfileScope {
 public:
  /// Records nothing before begin().
  ProfileScope() noexcept = default;
  /// Begins an event if a profile records. `name` must be a string literal.
  ProfileScope(ProfileKind kind, const char* name) noexcept {
    if (is_profiled()) [[unlikely]]
      begin(kind, name);
  }
  /// Ends the event.
  ~ProfileScope() { end(); }
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

  /// Begins an event whose name is a string literal.
  TERN_API void begin(ProfileKind kind, const char* name) noexcept;
  /// Begins an event whose name may be freed or changed after the call.
  TERN_API void begin_named(ProfileKind kind, const char* name, std::size_t size) noexcept;
  /// Begins the event of a module, which must be the innermost running one.
  TERN_API void begin_module(const RunningModule& module) noexcept;
  /// Ends the event now.
  void end() noexcept {
    if (open_) [[unlikely]]
      finish();
  }
  /// Returns the event; null if the profile has no room for it, or if there is none.
  ProfileEvent* event() const { return open_ ? event_ : nullptr; }
  /// Returns the number of the recording that owns event(), which must not be null.
  std::uint32_t recording() const { return recording_; }

 private:
  // The log that has the name also gets the event: a new recording could free that log in between.
  void begin_in(ProfileLog* log, ProfileKind kind, const char* name) noexcept;
  TERN_API void finish() noexcept;

  ProfileEvent* event_;
  ProfileLog* log_;          // the log of event_
  std::uint32_t recording_;  // the number of the recording that log_ belongs to
  bool open_ = false;
  bool nvtx_;
};

/// Records that `bytes` bytes were allocated, or freed if negative, on a device: the values of its
/// DeviceType and DeviceIndex.
TERN_API void record_memory(std::int64_t bytes, std::int8_t device_type,
                            std::int8_t device_index) noexcept;

/// Gives the running op of this thread the sequence number of the node that it has recorded.
TERN_API void record_sequence_nr(std::uint64_t number) noexcept;

/// Names the calling thread in profiles: "DataLoader worker 0". `name` must be a string literal.
TERN_API void name_thread(const char* name, int number) noexcept;

/// Returns the name of the event that is open on this thread; null if there is none.
TERN_API const char* open_event_name() noexcept;

}  // namespace tern::detail
