#include <tern/train/profiler/averages.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tern/train/profiler/detail/trace_data.h>

namespace tern::profiler {

const FunctionEventAvg* EventList::find(std::string_view key) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const FunctionEventAvg& row) { return row.key == key; });
  return found == rows_.end() ? nullptr : &*found;
}

double EventList::self_cpu_time_total() const {
  double sum = 0;
  for (const FunctionEventAvg& row : rows_) sum += row.self_cpu_time_total;
  return sum;
}

namespace detail {
namespace {

/// The sums of one event with a row, in nanoseconds and bytes; of its own and with all inside.
struct Sums {
  std::int64_t device_time = 0, cpu_memory = 0, device_memory = 0;

  void add(const Sums& other) {
    device_time += other.device_time;
    cpu_memory += other.cpu_memory;
    device_memory += other.device_memory;
  }
};

/// Sums up records: those of some kinds have rows, and the others count for the row around them.
class Averager {
 public:
  Averager(const TraceData& data, bool of_modules, bool by_shape)
      : data_(data), of_modules_(of_modules), by_shape_(by_shape) {}

  EventList run() {
    const std::vector<Record>& records = data_.records;
    owner_.resize(records.size());
    self_time_.resize(records.size());
    self_.resize(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) take(i);
    total_ = self_;
    for (std::size_t i = records.size(); i-- > 0;) {
      if (const std::int64_t outer = outer_of(i); has_row(i) && outer >= 0) {
        total_[static_cast<std::size_t>(outer)].add(total_[i]);
      }
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (has_row(i)) add_to_row(i);
    }
    if (loose_count_ != 0) {
      FunctionEventAvg& row = row_of("[memory]", by_shape_ ? "[]" : "");
      row.count += loose_count_;
      add(row, loose_, loose_);
    }
    return {std::move(rows_), data_.with_memory, data_.lost};
  }

 private:
  bool has_row(std::size_t i) const {
    const ProfileKind kind = data_.records[i].kind;
    if (of_modules_) return kind == ProfileKind::kModule;
    return kind == ProfileKind::kOp || kind == ProfileKind::kNode || kind == ProfileKind::kRange;
  }

  /// Returns the index of the event with a row around event i; -1 without one.
  std::int64_t outer_of(std::size_t i) const {
    const std::int64_t parent = data_.records[i].parent;
    return parent < 0 ? -1 : owner_[static_cast<std::size_t>(parent)];
  }

  void take(std::size_t i) {
    const Record& record = data_.records[i];
    const std::int64_t outer = outer_of(i);
    owner_[i] = has_row(i) ? static_cast<std::int64_t>(i) : outer;
    if (has_row(i)) {
      self_time_[i] += record.duration;
      if (outer >= 0) self_time_[static_cast<std::size_t>(outer)] -= record.duration;
      return;
    }
    const bool is_memory = record.kind == ProfileKind::kMemory;
    if (!is_memory && record.kind != ProfileKind::kKernel) return;
    if (outer < 0 && (of_modules_ || !is_memory)) return;
    Sums& sums = outer < 0 ? loose_ : self_[static_cast<std::size_t>(outer)];
    if (!is_memory) {
      sums.device_time += record.value;
      return;
    }
    if (outer < 0) ++loose_count_;
    (device_of(record).is_cpu() ? sums.cpu_memory : sums.device_memory) += record.value;
  }

  FunctionEventAvg& row_of(std::string_view name, const std::string& shapes) {
    // The steps of a schedule are one row.
    constexpr std::string_view kStep = "ProfilerStep#";
    std::string key(name.starts_with(kStep) ? "ProfilerStep*" : name);
    const auto [found, is_new] = numbers_.emplace(key + '\n' + shapes, rows_.size());
    if (is_new) {
      rows_.emplace_back().key = std::move(key);
      rows_.back().input_shapes = shapes;
    }
    return rows_[found->second];
  }

  static void add(FunctionEventAvg& row, const Sums& self, const Sums& total) {
    row.self_device_time_total += static_cast<double>(self.device_time) / 1e3;
    row.device_time_total += static_cast<double>(total.device_time) / 1e3;
    row.self_cpu_memory_usage += self.cpu_memory;
    row.cpu_memory_usage += total.cpu_memory;
    row.self_device_memory_usage += self.device_memory;
    row.device_memory_usage += total.device_memory;
  }

  void add_to_row(std::size_t i) {
    const Record& record = data_.records[i];
    std::string shapes;
    if (by_shape_) shapes = record.shapes == nullptr ? "[]" : shapes_text(record.shapes);
    FunctionEventAvg& row = row_of(record.name, shapes);
    ++row.count;
    row.cpu_time_total += static_cast<double>(record.duration) / 1e3;
    row.self_cpu_time_total += static_cast<double>(self_time_[i]) / 1e3;
    add(row, self_[i], total_[i]);
  }

  const TraceData& data_;
  const bool of_modules_, by_shape_;
  std::vector<std::int64_t> owner_;  // the event with a row that a record counts for, or -1
  std::vector<std::int64_t> self_time_;
  std::vector<Sums> self_, total_;
  Sums loose_;  // memory outside of all rows
  std::int64_t loose_count_ = 0;
  std::vector<FunctionEventAvg> rows_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

EventList average_events(const TraceData& data, bool group_by_input_shape) {
  return Averager(data, false, group_by_input_shape).run();
}

EventList average_modules(const TraceData& data) { return Averager(data, true, false).run(); }

}  // namespace detail
}  // namespace tern::profiler
