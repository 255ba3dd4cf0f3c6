#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <tern/core/base/profile_scope.h>

// The events of a recording. Each thread writes to a log of its own without locks; another thread
// reads the logs after the recording has stopped. What the owner writes after it has published an
// event is atomic, because a scope may end while the log is read.

namespace tern::detail {

/// One event. The owner of the log sets the plain members before it publishes the event.
struct ProfileEvent {
  const char* name;
  ProfileEvent* parent;  // the innermost event that was open; null at the top
  std::int64_t start;    // in ticks
  std::uint32_t index;   // in the log
  ProfileKind kind;
  std::atomic<std::int16_t> device;         // of kernels and memory: see profile_device()
  std::atomic<std::int64_t> end;            // in ticks; 0 while open
  std::atomic<std::int64_t> value;          // see below
  std::atomic<const std::int64_t*> shapes;  // of the inputs, see below; null if unknown
};
// `value` of an op or a node: its sequence number plus 1, 0 if there is none. Of memory: bytes. Of
// a kernel: nanoseconds on the device, 0 if not measured. `shapes`: the number of inputs; then of
// each input kNotTensor, or its number of dimensions and its sizes, or kTensorList, the number of
// tensors and each of them like an input.
constexpr std::int64_t kNotTensor = -1, kTensorList = -2;

/// Packs the values of a DeviceType and a DeviceIndex.
constexpr std::int16_t profile_device(int type, int index) {
  return static_cast<std::int16_t>(type * 256 + index + 1);
}
constexpr int profile_device_type(std::int16_t device) { return device / 256; }
constexpr int profile_device_index(std::int16_t device) { return device % 256 - 1; }

/// The room that a recording may still use, in bytes.
class ProfileBudget {
 public:
  void reset(std::int64_t bytes) { left_.store(bytes, std::memory_order_relaxed); }
  /// Returns false, and takes nothing, if less than `bytes` are left.
  bool take(std::int64_t bytes) noexcept;

 private:
  std::atomic<std::int64_t> left_{0};
};

/// The events of one thread.
class ProfileLog {
 public:
  ProfileLog(std::uint32_t recording, std::string thread_name, std::int64_t thread_id);
  ~ProfileLog();
  ProfileLog(const ProfileLog&) = delete;
  ProfileLog& operator=(const ProfileLog&) = delete;

  // For the owner.
  /// Adds an open event; returns null, and counts it as lost, if there is no room.
  ProfileEvent* add(ProfileKind kind, const char* name) noexcept;
  void close(ProfileEvent* event) noexcept;
  void add_memory(std::int64_t bytes, std::int16_t device) noexcept;
  /// Returns a copy of `name` that lives as long as the log; null if there is no room.
  const char* intern(std::string_view name) noexcept;
  const char* name_of(const RunningModule& module) noexcept;
  /// Returns room for `count` numbers that live as long as the log; null if there is none.
  std::int64_t* numbers(std::size_t count) noexcept;
  ProfileEvent* open() const { return open_; }
  std::uint32_t recording() const { return recording_; }

  // For any thread.
  const std::string& thread_name() const { return thread_name_; }
  std::int64_t thread_id() const { return thread_id_; }
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  /// Calls body(event) for each published event in the order of the beginnings.
  template <class Body>
  void for_each(const Body& body) const {
    std::uint32_t left = count_.load(std::memory_order_acquire);
    const Block* block = left == 0 ? nullptr : first_;
    while (left != 0) {
      const std::uint32_t here = left < kBlockEvents ? left : kBlockEvents;
      for (std::uint32_t i = 0; i < here; ++i) body(block->events[i]);
      left -= here;
      if (left != 0) block = block->next;  // the owner may be writing to the link of its last block
    }
  }

 private:
  static constexpr std::uint32_t kBlockEvents = 512;
  struct Block {
    ProfileEvent events[kBlockEvents];
    Block* next;
  };
  struct ModuleKey {
    const void* module;
    const void* type;   // another module may get the memory of a destroyed one
    const char* outer;  // the name of the module around it
    bool operator==(const ModuleKey&) const = default;
  };
  struct HashModule {
    std::size_t operator()(const ModuleKey& key) const {
      return (reinterpret_cast<std::size_t>(key.module) * 31 +
              reinterpret_cast<std::size_t>(key.type)) *
                 31 +
             reinterpret_cast<std::size_t>(key.outer);
    }
  };
  struct HashText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  ProfileEvent* new_event(ProfileKind kind, const char* name) noexcept;
  void publish() noexcept;
  const char* outer_module_name() const noexcept;
  void lose() noexcept { lost_.store(lost() + 1, std::memory_order_relaxed); }

  const std::uint32_t recording_;
  const std::string thread_name_;
  const std::int64_t thread_id_;
  ProfileEvent* open_ = nullptr;
  Block* last_ = nullptr;
  Block* first_ = nullptr;             // written before the first event is published
  std::uint32_t used_ = kBlockEvents;  // of the last block
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::int64_t> lost_{0};
  std::unordered_set<std::string, HashText, std::equal_to<>> names_;
  std::unordered_map<ModuleKey, const char*, HashModule> modules_;
  std::vector<std::unique_ptr<std::int64_t[]>> number_blocks_;
  std::int64_t* next_number_ = nullptr;
  std::size_t numbers_left_ = 0;
};

/// The log of the calling thread for the current recording; null if nothing is recorded or there is
/// no memory.
ProfileLog* current_log() noexcept;

/// A stopped recording.
struct ProfileRecording {
  std::uint32_t number = 0;
  std::vector<std::shared_ptr<ProfileLog>> logs;
  std::int64_t start_ticks = 0, stop_ticks = 0;
  std::int64_t start_ns = 0;  // of the system's clock, since 1970
  double ns_per_tick = 1;
  std::int64_t lost = 0;

  /// Returns nanoseconds since the start, at most those of the stop.
  std::int64_t ns(std::int64_t ticks) const;
};

/// Reserves the recorder, which the process has once. Throws Error if another profile has it.
void reserve_recorder();
void release_recorder() noexcept;
/// Starts a recording of at most `bytes` bytes. `bits` is a sum of ProfileBit.
void start_recording(unsigned bits, std::int64_t bytes);
/// Stops it. Scopes that are open still count up to now.
ProfileRecording stop_recording() noexcept;

/// The functions of NVIDIA's tools extension.
struct NvtxCalls {
  std::int32_t (*push)(const char* name);
  std::int32_t (*pop)();
};
/// Lets scopes mark ranges. Counts: each call needs its stop_nvtx().
void start_nvtx(const NvtxCalls& calls);
void stop_nvtx() noexcept;

}  // namespace tern::detail
