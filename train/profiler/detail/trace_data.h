#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tern/core/base/detail/profile_recorder.h>
#include <tern/core/tensor/device.h>
#include <tern/train/profiler/averages.h>

// A complete recording and the reports that are made of it.

namespace tern::profiler::detail {

using tern::detail::ProfileKind;

/// One event. Parents come before their children, and the events of a thread follow each other.
struct Record {
  const char* name;
  std::int64_t parent;           // the index of a record; -1 at the top
  std::int64_t start, duration;  // nanoseconds since the start of the recording
  std::int64_t value;            // as in ProfileEvent
  const std::int64_t* shapes;    // as in ProfileEvent
  std::int32_t thread;           // an index into TraceData::threads
  std::int16_t device;           // as in ProfileEvent
  ProfileKind kind;
};

struct TraceThread {
  std::string name;
  std::int64_t id;
};

struct TraceData {
  std::vector<Record> records;
  std::vector<TraceThread> threads;
  std::vector<std::shared_ptr<tern::detail::ProfileLog>> logs;  // own names and shapes
  std::int64_t start_ns = 0;                                    // of the system's clock
  std::int64_t lost = 0;
  bool with_memory = false;
};

/// Collects the events of a stopped recording.
TraceData collect(tern::detail::ProfileRecording recording, bool with_memory);

/// Returns the device of a kernel or of memory.
Device device_of(const Record& record);
/// Returns the sizes of an op's inputs as text; empty if they are unknown.
std::string shapes_text(const std::int64_t* shapes);
/// Returns the sequence number of an op or a node; -1 without one.
std::int64_t sequence_nr_of(const Record& record);
/// Returns the category of an event in traces.
const char* category_of(ProfileKind kind);

/// Sums up ops, nodes and ranges by name, or modules.
EventList average_events(const TraceData& data, bool group_by_input_shape);
EventList average_modules(const TraceData& data);

/// Writes the trace; see Profile::export_chrome_trace().
void write_chrome_trace(const TraceData& data, const std::string& path);

}  // namespace tern::profiler::detail
