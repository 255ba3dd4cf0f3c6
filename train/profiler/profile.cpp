#include <tern/train/profiler/profile.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/kernels/backend.h>
#include <tern/train/profiler/detail/trace_data.h>

namespace tern::profiler {

Schedule schedule(const ScheduleOptions& options) {
  TERN_CHECK(options.wait() >= 0 && options.warmup() >= 0 && options.active() > 0 &&
                 options.repeat() >= 0 && options.skip_first() >= 0,
             Error, "Invalid profiler schedule arguments. Got wait=", options.wait(),
             " (need >= 0), warmup=", options.warmup(), " (need >= 0), active=", options.active(),
             " (need > 0), repeat=", options.repeat(),
             " (need >= 0), skip_first=", options.skip_first(), " (need >= 0).");
  return [options](std::int64_t step) {
    TERN_CHECK(step >= 0, Error, "Step must be non-negative. Got ", step, ".");
    if (step < options.skip_first()) return ProfilerAction::NONE;
    step -= options.skip_first();
    const std::int64_t cycle = options.wait() + options.warmup() + options.active();
    if (options.repeat() > 0 && step / cycle >= options.repeat()) return ProfilerAction::NONE;
    const std::int64_t at = step % cycle;
    if (at < options.wait()) return ProfilerAction::NONE;
    if (at < options.wait() + options.warmup()) return ProfilerAction::WARMUP;
    return at < cycle - 1 ? ProfilerAction::RECORD : ProfilerAction::RECORD_AND_SAVE;
  };
}

struct Profile::Impl {
  enum class Mode { kOff, kWarm, kRecording };

  ProfileOptions options;
  bool started = false;
  bool in_callback = false;
  Mode mode = Mode::kOff;
  std::int64_t step_num = 0;
  ProfilerAction action = ProfilerAction::NONE;
  std::optional<tern::detail::ProfileScope> step_range;
  std::optional<detail::TraceData> result;

  ProfilerAction action_of(std::int64_t step) const {
    return options.schedule() ? options.schedule()(step) : ProfilerAction::RECORD;
  }

  void begin_step_range() {
    if (!options.schedule() || mode == Mode::kOff) return;
    const std::string name = "ProfilerStep#" + std::to_string(step_num);
    step_range.emplace().begin_named(tern::detail::ProfileKind::kRange, name.data(), name.size());
  }

  void record(Mode next) {
    using namespace tern::detail;
    unsigned bits = kProfileEvents;
    if (options.profile_memory()) bits |= kProfileMemory;
    if (options.record_shapes()) bits |= kProfileShapes;
    if (options.with_device_time()) bits |= kProfileDeviceTime;
    start_recording(bits, options.max_events() * static_cast<std::int64_t>(sizeof(ProfileEvent)));
    mode = next;
  }

  /// Ends the recording, and keeps it if it is more than a warm-up.
  void finish() {
    if (mode == Mode::kOff) return;
    const bool keeps = std::exchange(mode, Mode::kOff) == Mode::kRecording;
    tern::detail::ProfileRecording recording = tern::detail::stop_recording();
    kernels::take_device_times(recording.number);
    if (keeps) result = detail::collect(std::move(recording), options.profile_memory());
  }

  void call_back(Profile& profile) {
    if (!options.on_trace_ready()) return;
    struct Flag {
      bool& flag;
      explicit Flag(bool& on) : flag(on) { flag = true; }
      ~Flag() { flag = false; }
      Flag(const Flag&) = delete;
      Flag& operator=(const Flag&) = delete;
    } const flag(in_callback);
    options.on_trace_ready()(profile);
  }

  /// Goes from the action of one step to that of the next.
  void go_to(Profile& profile, ProfilerAction next) {
    const ProfilerAction before = std::exchange(action, next);
    const bool records = next == ProfilerAction::RECORD || next == ProfilerAction::RECORD_AND_SAVE;
    if (mode == Mode::kRecording && (before == ProfilerAction::RECORD_AND_SAVE || !records)) {
      finish();
      call_back(profile);
    }
    if (mode == Mode::kWarm && next != ProfilerAction::WARMUP) finish();
    if (mode != Mode::kOff) return;
    if (records) record(Mode::kRecording);
    if (next == ProfilerAction::WARMUP) record(Mode::kWarm);
  }

  void check_started(const char* what) const {
    TERN_CHECK(started, Error, "Profiler must be initialized before ", what,
               ": call Profile::start() first");
    TERN_CHECK(!in_callback, Error,
               "Profile: on_trace_ready must not call start(), stop() or step()");
  }

  const detail::TraceData& checked_result(const char* what) const {
    TERN_CHECK(result, Error, "Profiler must be initialized before ", what,
               started ? ": the recording is not complete, call Profile::stop() first"
                       : ": there is no recording, call Profile::start() and stop() first");
    return *result;
  }
};

Profile::Profile(ProfileOptions options) : impl_(std::make_unique<Impl>()) {
  TERN_CHECK(options.max_events() > 0, Error, "Profile: max_events must be positive, got ",
             options.max_events());
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  TERN_CHECK(options.max_events() <= kMost, Error, "Profile: max_events must be at most ", kMost,
             ", got ", options.max_events());
  impl_->options = std::move(options);
}

Profile::~Profile() {
  if (!impl_->started) return;
  impl_->step_range.reset();
  if (impl_->mode != Impl::Mode::kOff) {
    kernels::take_device_times(tern::detail::stop_recording().number);
  }
  tern::detail::release_recorder();
}

void Profile::start() {
  TERN_CHECK(!impl_->in_callback, Error,
             "Profile: on_trace_ready must not call start(), stop() or step()");
  TERN_CHECK(!impl_->started, Error,
             "Profiler is already enabled: this Profile has started; call "
             "stop() first");
  const ProfilerAction first = impl_->action_of(0);
  tern::detail::reserve_recorder();
  impl_->started = true;
  impl_->result.reset();
  impl_->step_num = 0;
  impl_->go_to(*this, first);
  impl_->begin_step_range();
}

void Profile::stop() {
  impl_->check_started("stopping trace");
  impl_->step_range.reset();
  const bool records = impl_->mode == Impl::Mode::kRecording;
  impl_->action = ProfilerAction::NONE;
  impl_->started = false;
  {
    struct Release {
      Release() = default;
      ~Release() { tern::detail::release_recorder(); }
      Release(const Release&) = delete;
      Release& operator=(const Release&) = delete;
    } const release;
    impl_->finish();
  }
  if (records) impl_->call_back(*this);
}

void Profile::step() {
  impl_->check_started("calling step()");
  const ProfilerAction next = impl_->action_of(impl_->step_num + 1);
  impl_->step_range.reset();
  ++impl_->step_num;
  impl_->go_to(*this, next);
  impl_->begin_step_range();
}

std::int64_t Profile::step_num() const { return impl_->step_num; }
ProfilerAction Profile::current_action() const { return impl_->action; }

EventList Profile::key_averages(StrictBool group_by_input_shape) const {
  return detail::average_events(impl_->checked_result("getting key averages"),
                                group_by_input_shape);
}

EventList Profile::module_averages() const {
  return detail::average_modules(impl_->checked_result("getting module averages"));
}

std::int64_t Profile::lost_events() const {
  return impl_->checked_result("counting lost events").lost;
}

std::vector<FunctionEvent> Profile::events() const {
  const detail::TraceData& data = impl_->checked_result("getting events");
  std::vector<FunctionEvent> events;
  events.reserve(data.records.size());
  for (const detail::Record& record : data.records) {
    using tern::detail::ProfileKind;
    const detail::TraceThread& thread = data.threads[static_cast<std::size_t>(record.thread)];
    FunctionEvent& event = events.emplace_back();
    event.name = record.name;
    event.category = detail::category_of(record.kind);
    event.parent = record.parent;
    event.thread_id = thread.id;
    event.thread_name = thread.name;
    event.start_us = static_cast<double>(record.start) / 1e3;
    event.duration_us = static_cast<double>(record.duration) / 1e3;
    if (record.device != 0) event.device = detail::device_of(record);
    if (record.kind == ProfileKind::kKernel) {
      event.device_time_us = static_cast<double>(record.value) / 1e3;
    }
    if (record.kind == ProfileKind::kMemory) event.bytes = record.value;
    event.sequence_nr = detail::sequence_nr_of(record);
    event.input_shapes = detail::shapes_text(record.shapes);
  }
  return events;
}

void Profile::export_chrome_trace(const std::string& path) const {
  detail::write_chrome_trace(impl_->checked_result("exporting chrome trace"), path);
}

}  // namespace tern::profiler
