#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tern/core/tensor/device.h>
#include <tern/nn/options/options_arg.h>
#include <tern/train/profiler/averages.h>

namespace tern::profiler {

/// What a profile does during a step.
enum class ProfilerAction {
  NONE,            ///< nothing
  WARMUP,          ///< records and drops
  RECORD,          ///< records
  RECORD_AND_SAVE  ///< records, and hands over the recording at the end of the step
};

/// Returns what to do in a step, which is counted from 0.
using Schedule = std::function<ProfilerAction(std::int64_t step)>;

/// The phases of a schedule, in steps.
struct ScheduleOptions {
  /// Steps without any recording at the start of each cycle.
  TERN_ARG(std::int64_t, wait) = 0;
  /// Steps whose events are dropped, so that the first costs of recording are not in the result.
  TERN_ARG(std::int64_t, warmup) = 0;
  /// Steps that are recorded; must be set.
  TERN_ARG(std::int64_t, active) = 0;
  /// The number of cycles; 0 goes on until stop().
  TERN_ARG(std::int64_t, repeat) = 0;
  /// Steps before the first cycle.
  TERN_ARG(std::int64_t, skip_first) = 0;
};

/// Returns a schedule of cycles of waiting, warming up and recording. Throws Error for negative
/// numbers and for `active` 0.
///
/// Example:
///   auto plan = profiler::schedule(profiler::ScheduleOptions().wait(1).warmup(1).active(3));
TERN_API Schedule schedule(const ScheduleOptions& options);

class Profile;

/// Options of a Profile.
struct ProfileOptions {
  /// What to do in which step. Without a schedule everything from start() to stop() is recorded.
  TERN_ARG(Schedule, schedule);
  /// Called whenever a recording is complete: at the end of each cycle, and by stop() if it ends a
  /// recording.
  TERN_ARG(std::function<void(Profile&)>, on_trace_ready);
  /// True: records the sizes of the inputs of ops.
  TERN_ARG(bool, record_shapes) = false;
  /// True: records allocations and frees.
  TERN_ARG(bool, profile_memory) = false;
  /// True: measures with two CUDA events how long each kernel takes on its device.
  TERN_ARG(bool, with_device_time) = true;
  /// The largest number of events; about 60 bytes of memory each. Later events are lost, and
  /// counted.
  TERN_ARG(std::int64_t, max_events) = 1 << 20;
};

/// One event of a profile.
struct FunctionEvent {
  /// The name of the op, gradient rule, range, module or kernel.
  std::string name;
  /// "cpu_op" (an op or a gradient rule), "module", "user_annotation" (a range), "kernel",
  /// "parallel" (a pool thread's share of an event of another thread) or "memory".
  std::string category;
  /// The index of the event in which this one began, on the same thread; -1 without one.
  std::int64_t parent = -1;
  /// The system's number of the thread.
  std::int64_t thread_id = 0;
  /// "main thread", "DataLoader worker 0", "tern pool 1" or "thread 4711".
  std::string thread_name;
  /// Microseconds from the start of the recording to that of the event.
  double start_us = 0;
  /// Microseconds from the event's start to its end.
  double duration_us = 0;
  /// The device of a kernel or of memory.
  Device device = kCPU;
  /// A kernel's time on its CUDA device in microseconds; 0 if not measured.
  double device_time_us = 0;
  /// Bytes that were allocated, negative for freed ones.
  std::int64_t bytes = 0;
  /// Equal for a gradient rule and the op that recorded it, on one thread; -1 without one.
  std::int64_t sequence_nr = -1;
  /// The sizes of an op's inputs: "[[32, 8], [8]]"; empty if they are not recorded.
  std::string input_shapes;
};

/// Records what a program does and how long it takes: ops, gradient rules, modules, kernels, ranges
/// (RecordFunction), threads and memory. Works like torch.profiler.profile. All threads of the
/// process are recorded; one thread at a time may use the Profile. Only one may be started.
///
/// Example:
///   profiler::Profile profile;
///   profile.start();
///   train_one_step();
///   profile.stop();
///   std::cout << profile.key_averages().table("self_cpu_time_total", 10);
///   profile.export_chrome_trace("trace.json");  // for https://ui.perfetto.dev
class TERN_API Profile {
 public:
  /// Makes a profile that has not started. Throws Error if max_events is not positive.
  explicit Profile(ProfileOptions options = {});
  /// Stops recording. Does not call on_trace_ready.
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Starts, and drops an earlier result. Throws Error if this or another profile has started.
  void start();
  /// Stops. Events that are still open end here. Throws Error before start(), and the errors of
  /// on_trace_ready.
  void stop();
  /// Ends a step of the schedule and begins the next. Each recorded step is a range
  /// "ProfilerStep#3". Throws Error before start(), and the errors of on_trace_ready.
  void step();
  /// Returns the number of calls of step() since start().
  std::int64_t step_num() const;
  /// Returns what the profile does in the current step; NONE before start() and after stop().
  ProfilerAction current_action() const;

  /// Returns the sums of ops, gradient rules and ranges by name, or by name and sizes of the
  /// inputs. Memory that is freed outside of all of them is in the row "[memory]". Modules have no
  /// rows here. Throws Error before there is a complete recording.
  EventList key_averages(StrictBool group_by_input_shape = false) const;
  /// Returns the sums of the forwards of modules, by path and class: "encoder.fc1 (Linear)". Self
  /// times leave out the modules inside. Throws like key_averages().
  EventList module_averages() const;
  /// Returns all events, thread by thread, in the order in which they began. Throws like
  /// key_averages().
  std::vector<FunctionEvent> events() const;
  /// Returns how many events found no room. Throws like key_averages().
  std::int64_t lost_events() const;

  /// Writes all events as a Chrome trace, for Perfetto or chrome://tracing: a row per thread,
  /// arrows from ops to their gradient rules, and the memory as a counter. The file appears as a
  /// whole or not at all. Throws FileError, and Error like key_averages().
  void export_chrome_trace(const std::string& path) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tern::profiler
