#include <tern/train/profiler/detail/trace_data.h>

#include <utility>

namespace tern::profiler::detail {

TraceData collect(tern::detail::ProfileRecording recording, bool with_memory) {
  using tern::detail::ProfileEvent;
  TraceData data;
  data.start_ns = recording.start_ns;
  data.lost = recording.lost;
  data.with_memory = with_memory;
  for (const auto& log : recording.logs) {
    const auto first = static_cast<std::int64_t>(data.records.size());
    const auto thread = static_cast<std::int32_t>(data.threads.size());
    data.threads.push_back({log->thread_name(), log->thread_id()});
    log->for_each([&](const ProfileEvent& event) {
      const std::int64_t end = event.end.load(std::memory_order_acquire);
      const std::int64_t from = recording.ns(event.start);
      const std::int64_t to = recording.ns(end == 0 ? recording.stop_ticks : end);
      data.records.push_back({event.name,
                              event.parent == nullptr ? -1 : first + event.parent->index, from,
                              to - from, event.value.load(std::memory_order_relaxed),
                              event.shapes.load(std::memory_order_acquire), thread,
                              event.device.load(std::memory_order_relaxed), event.kind});
    });
  }
  data.logs = std::move(recording.logs);
  return data;
}

Device device_of(const Record& record) {
  const auto type = static_cast<DeviceType>(tern::detail::profile_device_type(record.device));
  const int index = tern::detail::profile_device_index(record.device);
  return index < 0 ? Device(type) : Device(type, index);
}

namespace {

const std::int64_t* append_sizes(std::string& text, const std::int64_t* numbers) {
  const std::int64_t dims = *numbers++;
  text += '[';
  for (std::int64_t i = 0; i < dims; ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(*numbers++);
  }
  text += ']';
  return numbers;
}

}  // namespace

std::string shapes_text(const std::int64_t* shapes) {
  if (shapes == nullptr) return {};
  std::string text = "[";
  const std::int64_t inputs = *shapes++;
  for (std::int64_t i = 0; i < inputs; ++i) {
    if (i != 0) text += ", ";
    if (*shapes != tern::detail::kTensorList) {
      shapes = append_sizes(text, shapes);
      continue;
    }
    const std::int64_t count = shapes[1];
    shapes += 2;
    text += '[';
    for (std::int64_t k = 0; k < count; ++k) {
      if (k != 0) text += ", ";
      shapes = append_sizes(text, shapes);
    }
    text += ']';
  }
  return text + ']';
}

std::int64_t sequence_nr_of(const Record& record) {
  return record.kind == ProfileKind::kOp || record.kind == ProfileKind::kNode ? record.value - 1
                                                                              : -1;
}

const char* category_of(ProfileKind kind) {
  switch (kind) {
    case ProfileKind::kOp:
    case ProfileKind::kNode:
      return "cpu_op";
    case ProfileKind::kModule:
      return "module";
    case ProfileKind::kKernel:
      return "kernel";
    case ProfileKind::kRange:
      return "user_annotation";
    case ProfileKind::kPart:
      return "parallel";
    case ProfileKind::kMemory:
      return "memory";
  }
  return "?";
}

}  // namespace tern::profiler::detail
