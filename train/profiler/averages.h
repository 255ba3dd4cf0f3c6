#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern::profiler {

/// The sums of all events with one name. Times are in microseconds; "self" leaves out the events
/// inside. The CPU time of an op on a CUDA device is the time that the host needs to launch its
/// kernels.
struct FunctionEventAvg {
  /// The name of the op, gradient rule, range or module.
  std::string key;
  /// The sizes of the op's inputs, "[[32, 8], [8]]", if events are grouped by them.
  std::string input_shapes;
  /// The number of events.
  std::int64_t count = 0;
  /// Time on the host.
  double cpu_time_total = 0;
  /// Time on the host without the events inside.
  double self_cpu_time_total = 0;
  /// Time of the kernels on CUDA devices.
  double device_time_total = 0;
  /// Time of the kernels on CUDA devices without the events inside.
  double self_device_time_total = 0;
  /// Bytes of host memory that were allocated minus those that were freed.
  std::int64_t cpu_memory_usage = 0;
  /// The same without the events inside.
  std::int64_t self_cpu_memory_usage = 0;
  /// Bytes of memory of CUDA devices that were allocated minus those that were freed.
  std::int64_t device_memory_usage = 0;
  /// The same without the events inside.
  std::int64_t self_device_memory_usage = 0;

  /// Returns the mean time on the host of one event.
  double cpu_time() const { return count == 0 ? 0 : cpu_time_total / static_cast<double>(count); }
  /// Returns the mean time on the device of one event.
  double device_time() const {
    return count == 0 ? 0 : device_time_total / static_cast<double>(count);
  }
};

/// The rows of a table of a Profile.
class TERN_API EventList {
 public:
  /// Takes the rows. With `memory` the table has the columns of memory.
  EventList(std::vector<FunctionEventAvg> rows, StrictBool memory, StrictInteger<std::int64_t> lost)
      : rows_(std::move(rows)), memory_(memory), lost_(lost) {}

  /// Returns an iterator at the first row.
  auto begin() const { return rows_.begin(); }
  /// Returns an iterator past the last row.
  auto end() const { return rows_.end(); }
  /// Returns the number of rows.
  std::size_t size() const { return rows_.size(); }
  /// Returns a row.
  const FunctionEventAvg& operator[](std::size_t index) const { return rows_.at(index); }
  /// Returns the row with this key; null if there is none.
  const FunctionEventAvg* find(std::string_view key) const;
  /// Returns the sum of the self times, in microseconds.
  double self_cpu_time_total() const;

  /// Returns the rows as text in PyTorch's form. `sort_by` names the column by which rows descend:
  /// cpu_time, cpu_time_total, self_cpu_time_total, cpu_memory_usage, self_cpu_memory_usage, count,
  /// and the first five with "cuda" or "device" instead of "cpu"; empty, the default, keeps the
  /// order of the first events. -1 prints all rows. Throws Error for another column and for another
  /// negative limit.
  ///
  /// Example:
  ///   std::cout << profile.key_averages().table("self_cpu_time_total", 10);
  std::string table(std::string_view sort_by = "",
                    StrictInteger<std::int64_t> row_limit = 100) const;

 private:
  std::vector<FunctionEventAvg> rows_;
  bool memory_;
  std::int64_t lost_;
};

}  // namespace tern::profiler
