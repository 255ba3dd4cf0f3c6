#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

#include <tern/core/base/detail/profile_recorder.h>
#include <tern/core/base/detail/profile_ticks.h>
#include <tern/core/base/error.h>

namespace tern::detail {

constinit std::atomic<unsigned> profile_bits{0};
constinit std::atomic<bool> profile_reads_counter{false};

namespace {

using LogPointer = std::shared_ptr<ProfileLog>;

struct Recorder {
  std::mutex mutex;
  bool reserved = false;
  bool recording = false;
  std::vector<LogPointer> logs;
  std::int64_t start_ticks = 0, start_steady = 0, start_ns = 0;
  int nvtx_users = 0;
};
// Never destroyed: threads may report until the process ends.
Recorder& recorder() {
  static Recorder& recorder = *new Recorder;
  return recorder;
}
// In a forked child, no other thread is left to unlock the mutex.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { recorder().mutex.lock(); }, [] { recorder().mutex.unlock(); },
                   [] { recorder().mutex.unlock(); });

constinit std::atomic<std::uint32_t> current_recording{0};
constinit std::atomic<std::int64_t> lost_without_log{0};
constinit std::atomic<const NvtxCalls*> nvtx_calls{nullptr};

struct ThreadLabel {
  const char* name;
  int number;
};
constinit thread_local ThreadLabel thread_label{nullptr, 0};
constinit thread_local ProfileLog* thread_log = nullptr;
constinit thread_local bool thread_is_gone = false;

/// Shares the ownership of the thread's log.
struct LogOwner {
  LogPointer log;
  ~LogOwner() {
    thread_is_gone = true;
    thread_log = nullptr;
  }
};
LogOwner& log_owner() {
  static thread_local LogOwner owner;
  return owner;
}

std::string thread_text(std::int64_t id) {
  if (thread_label.name != nullptr) return text_of(thread_label.name, ' ', thread_label.number);
  if (id == getpid()) return "main thread";
  return text_of("thread ", id);
}

/// Makes a log for the calling thread.
[[gnu::noinline]] ProfileLog* attach_log() noexcept {
  if (thread_is_gone) return nullptr;
  try {
    const std::int64_t id = syscall(SYS_gettid);
    auto log = std::make_shared<ProfileLog>(current_recording.load(), thread_text(id), id);
    LogOwner& owner = log_owner();
    const std::lock_guard lock(recorder().mutex);
    if (!recorder().recording || log->recording() != current_recording.load()) return nullptr;
    recorder().logs.push_back(log);
    owner.log = std::move(log);
    return thread_log = owner.log.get();
  } catch (...) {
    lost_without_log.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
}

ProfileLog* attached_log() noexcept {
  ProfileLog* const log = thread_log;
  const bool fits =
      log != nullptr && log->recording() == current_recording.load(std::memory_order_relaxed);
  return fits ? log : nullptr;
}

bool clock_is_counter() {
  char name[16] = {};
#if defined(__x86_64__)
  std::FILE* const file =
      std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
  if (file != nullptr) {
    if (std::fgets(name, sizeof(name), file) == nullptr) name[0] = '\0';
    std::fclose(file);
  }
#endif
  return std::strcmp(name, "tsc\n") == 0;
}

}  // namespace

ProfileLog* current_log() noexcept {
  if (!is_profiled(kProfileEvents)) return nullptr;
  ProfileLog* const log = attached_log();
  return log != nullptr ? log : attach_log();
}

// --- Scopes --------------------------------------------------------------------------------------

void ProfileScope::begin(ProfileKind kind, const char* name) noexcept {
  begin_in(current_log(), kind, name);
}

void ProfileScope::begin_in(ProfileLog* log, ProfileKind kind, const char* name) noexcept {
  event_ = nullptr;
  nvtx_ = false;
  open_ = true;
  if (log != nullptr) {
    log_ = log;
    recording_ = log->recording();
    event_ = log->add(kind, name);
  }
  if (!is_profiled(kProfileNvtx)) return;
  if (kind == ProfileKind::kPart || kind == ProfileKind::kKernel) return;
  if (const NvtxCalls* const calls = nvtx_calls.load(std::memory_order_acquire)) {
    calls->push(name);
    nvtx_ = true;
  }
}

void ProfileScope::begin_named(ProfileKind kind, const char* name, std::size_t size) noexcept {
  ProfileLog* const log = current_log();
  if (log == nullptr) return begin_in(nullptr, kind, name);
  const char* const interned = log->intern({name, size});
  begin_in(log, kind, interned == nullptr ? "(no room for the name)" : interned);
}

void ProfileScope::begin_module(const RunningModule& module) noexcept {
  if (ProfileLog* const log = current_log()) {
    const char* const name = log->name_of(module);
    return begin_in(log, ProfileKind::kModule, name == nullptr ? "(no room for the name)" : name);
  }
  try {
    begin_in(nullptr, ProfileKind::kModule, module.describer->describe(module).c_str());
  } catch (...) {
    // NVTX loses a range.
  }
}

void ProfileScope::finish() noexcept {
  open_ = false;
  if (event_ != nullptr) {
    // The log of an older recording may be freed, and that of another thread is not ours to change.
    ProfileLog* const log = thread_log;
    if (log != nullptr && log == log_ && log->recording() == recording_) log->close(event_);
  }
  if (!nvtx_) return;
  if (const NvtxCalls* const calls = nvtx_calls.load(std::memory_order_acquire)) calls->pop();
}

void record_memory(std::int64_t bytes, std::int8_t device_type, std::int8_t device_index) noexcept {
  if (ProfileLog* const log = current_log()) {
    log->add_memory(bytes, profile_device(device_type, device_index));
  }
}

void record_sequence_nr(std::uint64_t number) noexcept {
  ProfileLog* const log = attached_log();
  if (log == nullptr || log->open() == nullptr) return;
  ProfileEvent& event = *log->open();
  if (event.kind == ProfileKind::kOp) {
    event.value.store(static_cast<std::int64_t>(number) + 1, std::memory_order_relaxed);
  }
}

void name_thread(const char* name, int number) noexcept { thread_label = {name, number}; }

const char* open_event_name() noexcept {
  ProfileLog* const log = attached_log();
  return log == nullptr || log->open() == nullptr ? nullptr : log->open()->name;
}

// --- Recordings ----------------------------------------------------------------------------------

std::int64_t ProfileRecording::ns(std::int64_t ticks) const {
  const std::int64_t until = std::clamp(ticks, start_ticks, stop_ticks);
  return static_cast<std::int64_t>(static_cast<double>(until - start_ticks) * ns_per_tick);
}

void reserve_recorder() {
  const std::lock_guard lock(recorder().mutex);
  TERN_CHECK(!recorder().reserved, Error,
             "Profiler is already enabled: another tern::profiler::Profile has started and not "
             "stopped; a process has one at a time");
  recorder().reserved = true;
}

void release_recorder() noexcept {
  const std::lock_guard lock(recorder().mutex);
  recorder().reserved = false;
}

void start_recording(unsigned bits, std::int64_t bytes) {
  static const bool reads_counter = clock_is_counter();
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  profile_reads_counter.store(reads_counter, std::memory_order_relaxed);
  current_recording.fetch_add(1);
  profile_budget.reset(bytes);
  lost_without_log.store(0, std::memory_order_relaxed);
  all.recording = true;
  all.start_ns = std::chrono::system_clock::now().time_since_epoch().count();
  all.start_steady = steady_ns();
  all.start_ticks = profile_ticks();
  profile_bits.fetch_or(bits);
}

ProfileRecording stop_recording() noexcept {
  constexpr unsigned kAll = kProfileEvents | kProfileMemory | kProfileShapes | kProfileDeviceTime;
  Recorder& all = recorder();
  profile_bits.fetch_and(~kAll);
  ProfileRecording result;
  {
    const std::lock_guard lock(all.mutex);
    all.recording = false;
    result.logs = std::move(all.logs);
    all.logs.clear();
    result.start_ticks = all.start_ticks;
    result.start_ns = all.start_ns;
    result.stop_ticks = profile_ticks();
    const auto elapsed = static_cast<double>(steady_ns() - all.start_steady);
    const std::int64_t ticks = result.stop_ticks - result.start_ticks;
    if (profile_reads_counter.load(std::memory_order_relaxed) && ticks > 0) {
      result.ns_per_tick = elapsed / static_cast<double>(ticks);
    }
    result.number =
        current_recording.fetch_add(1);  // scopes that are open no longer find their log
  }
  result.lost = lost_without_log.load(std::memory_order_relaxed);
  for (const LogPointer& log : result.logs) result.lost += log->lost();
  if (!thread_is_gone) {
    thread_log = nullptr;
    log_owner().log.reset();
  }
  return result;
}

void start_nvtx(const NvtxCalls& calls) {
  const std::lock_guard lock(recorder().mutex);
  nvtx_calls.store(&calls, std::memory_order_release);
  if (++recorder().nvtx_users == 1) profile_bits.fetch_or(kProfileNvtx);
}

void stop_nvtx() noexcept {
  const std::lock_guard lock(recorder().mutex);
  if (--recorder().nvtx_users == 0) profile_bits.fetch_and(~unsigned{kProfileNvtx});
}

}  // namespace tern::detail
