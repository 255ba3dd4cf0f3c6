#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/base/text.h>
#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/train/profiler/detail/trace_data.h>

// The trace event format of Chrome, which Perfetto reads, too: one JSON object per event, with
// times in microseconds.

namespace tern::profiler::detail {
namespace {

/// Returns the number of bytes of the UTF-8 character at the start of `text`; 0 if it is invalid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return bad ? 0 : size;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t size = utf8_length(text);
    const char c = text[0];
    if (size == 0) {
      out += "\\ufffd";
    } else if (size == 1 && (c == '"' || c == '\\')) {
      out.append(1, '\\').append(1, c);
    } else if (size == 1 && static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out + '"';
}

std::string microseconds(std::int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof(text), "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

std::string device_text(const Record& record) { return tern::detail::text_of(device_of(record)); }

class TraceWriter {
 public:
  TraceWriter(const TraceData& data, tern::detail::AtomicFile& file)
      : data_(data), file_(file), process_(std::to_string(getpid())) {}

  void write() {
    text_ = tern::detail::text_of(
        "{\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": ", data_.start_ns,
        ",\n\"lost_events\": ", data_.lost, ",\n\"traceEvents\": [");
    write_names();
    for (const Record& record : data_.records) {
      if (record.kind != ProfileKind::kMemory) write_event(record);
    }
    write_flows();
    write_memory();
    text_ += "\n]\n}\n";
    file_.write(text_);
  }

 private:
  /// Begins an object with the members that all have. `thread` is an index.
  void begin(const char* phase, std::string_view name, std::int32_t thread) {
    constexpr std::size_t kChunk = 1 << 18;
    if (text_.size() > kChunk) {
      file_.write(text_);
      text_.clear();
    }
    text_ += first_ ? "\n{\"ph\": \"" : ",\n{\"ph\": \"";
    first_ = false;
    text_.append(phase).append("\", \"name\": ").append(quoted(name));
    text_.append(", \"pid\": ").append(process_).append(", \"tid\": ");
    text_ +=
        thread < 0 ? process_ : std::to_string(data_.threads[static_cast<std::size_t>(thread)].id);
  }
  void member(const char* name, std::string_view value) {
    text_.append(", \"").append(name).append("\": ").append(value);
  }

  void write_names() {
    begin("M", "process_name", -1);
    text_ += ", \"args\": {\"name\": \"tern\"}}";
    for (std::size_t i = 0; i < data_.threads.size(); ++i) {
      begin("M", "thread_name", static_cast<std::int32_t>(i));
      text_ += ", \"args\": {\"name\": " + quoted(data_.threads[i].name) + "}}";
    }
  }

  void write_event(const Record& record) {
    begin("X", record.name, record.thread);
    member("cat", quoted(category_of(record.kind)));
    member("ts", microseconds(record.start));
    member("dur", microseconds(record.duration));
    std::string args;
    const auto add = [&](const char* name, const std::string& value) {
      args.append(args.empty() ? "\"" : ", \"").append(name).append("\": ").append(value);
    };
    if (const std::int64_t number = sequence_nr_of(record); number >= 0) {
      add("Sequence number", std::to_string(number));
    }
    if (record.shapes != nullptr) add("Input Dims", shapes_text(record.shapes));
    if (record.kind == ProfileKind::kKernel) {
      add("device", quoted(device_text(record)));
      if (record.value > 0) add("device time (us)", microseconds(record.value));
    }
    if (!args.empty()) member("args", "{" + args + "}");
    text_ += '}';
  }

  /// Arrows from each op to its node. Sequence numbers belong to a thread.
  void write_flows() {
    std::map<std::pair<std::int32_t, std::int64_t>, const Record*> ops;
    for (const Record& record : data_.records) {
      const std::int64_t number = sequence_nr_of(record);
      if (number >= 0 && record.kind == ProfileKind::kOp) ops[{record.thread, number}] = &record;
    }
    std::int64_t id = 0;
    for (const Record& record : data_.records) {
      if (record.kind != ProfileKind::kNode) continue;
      const auto found = ops.find({record.thread, sequence_nr_of(record)});
      if (found == ops.end()) continue;
      write_flow("s", *found->second, ++id);
      write_flow("f", record, id);
    }
  }
  void write_flow(const char* phase, const Record& record, std::int64_t id) {
    begin(phase, "fwdbwd", record.thread);
    member("cat", "\"fwdbwd\"");
    member("id", std::to_string(id));
    member("ts", microseconds(record.start));
    if (*phase == 'f') member("bp", "\"e\"");
    text_ += '}';
  }

  /// The bytes that each device has more than at the start.
  void write_memory() {
    std::vector<const Record*> changes;
    for (const Record& record : data_.records) {
      if (record.kind == ProfileKind::kMemory) changes.push_back(&record);
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Record* a, const Record* b) { return a->start < b->start; });
    std::map<std::int16_t, std::int64_t> totals;
    for (const Record* change : changes) {
      std::int64_t& total = totals[change->device];
      total += change->value;
      begin("C", "memory of " + device_text(*change), -1);
      member("ts", microseconds(change->start));
      member("args", "{\"bytes since the start\": " + std::to_string(total) + "}");
      text_ += '}';
    }
  }

  const TraceData& data_;
  tern::detail::AtomicFile& file_;
  const std::string process_;
  std::string text_;
  bool first_ = true;
};

}  // namespace

void write_chrome_trace(const TraceData& data, const std::string& path) {
  tern::detail::AtomicFile file(path);
  TraceWriter(data, file).write();
  file.commit();
}

}  // namespace tern::profiler::detail
