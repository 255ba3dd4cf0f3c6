#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/train/profiler/averages.h>

// The table of PyTorch's profiler: the same columns, units and widths.

namespace tern::profiler {
namespace {

using Row = FunctionEventAvg;
using tern::detail::number_text;
using Value = double (*)(const Row&);

template <auto Member>
double number(const Row& row) {
  return static_cast<double>(row.*Member);
}

struct Column {
  std::string_view name;
  Value value;
};
constexpr Column kSortColumns[] = {
    {"cpu_time", [](const Row& row) { return row.cpu_time(); }},
    {"cpu_time_total", number<&Row::cpu_time_total>},
    {"self_cpu_time_total", number<&Row::self_cpu_time_total>},
    {"cpu_memory_usage", number<&Row::cpu_memory_usage>},
    {"self_cpu_memory_usage", number<&Row::self_cpu_memory_usage>},
    {"device_time", [](const Row& row) { return row.device_time(); }},
    {"device_time_total", number<&Row::device_time_total>},
    {"self_device_time_total", number<&Row::self_device_time_total>},
    {"device_memory_usage", number<&Row::device_memory_usage>},
    {"self_device_memory_usage", number<&Row::self_device_memory_usage>},
    {"count", number<&Row::count>},
};

Value sort_value(std::string_view sort_by) {
  std::string name(sort_by);
  if (const std::size_t at = name.find("cuda"); at != std::string::npos)
    name.replace(at, 4, "device");
  for (const Column& column : kSortColumns) {
    if (column.name == name) return column.value;
  }
  std::string known;
  for (const Column& column : kSortColumns) {
    known.append(known.empty() ? "" : ", ").append(column.name);
  }
  tern::detail::raise<Error>("table: sort_by must be one of ", known, "; got '", sort_by, "'");
}

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) return number_text(microseconds / 1e6, 'f', 3) + "s";
  if (microseconds >= 1e3) return number_text(microseconds / 1e3, 'f', 3) + "ms";
  return number_text(microseconds, 'f', 3) + "us";
}

std::string memory_text(std::int64_t bytes) {
  constexpr double kKB = 1024, kMB = 1024 * kKB, kGB = 1024 * kMB;
  const auto value = static_cast<double>(bytes);
  if (std::abs(value) >= kGB) return number_text(value / kGB, 'f', 2) + " GB";
  if (std::abs(value) >= kMB) return number_text(value / kMB, 'f', 2) + " MB";
  if (std::abs(value) >= kKB) return number_text(value / kKB, 'f', 2) + " KB";
  return std::to_string(bytes) + " B";
}

std::string share_text(double part, double whole) {
  return whole == 0 ? std::string("NaN") : number_text(100 * part / whole, 'f', 2) + "%";
}

/// Rows of cells that are aligned to the right, each two spaces from the next.
class TextTable {
 public:
  void add_column(std::string header, std::size_t width) {
    headers_.push_back(std::move(header));
    widths_.push_back(width);
  }
  std::string rule() const {
    std::string line;
    for (const std::size_t width : widths_) line.append(width, '-').append("  ");
    return line + '\n';
  }
  std::string header() const { return row(headers_); }
  std::string row(const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].size() < widths_[i]) line.append(widths_[i] - cells[i].size(), ' ');
      line.append(cells[i]).append("  ");
    }
    return line + '\n';
  }

 private:
  std::vector<std::string> headers_;
  std::vector<std::size_t> widths_;
};

constexpr std::size_t kNameWidth = 55, kShapesWidth = 80, kWidth = 12;

/// Which columns a table has.
struct Shown {
  bool device_time = false, memory = false, device_memory = false, shapes = false;
};

TextTable table_for(const std::vector<const Row*>& rows, const Shown& shown) {
  std::size_t name = 0, shapes = 0;
  for (const Row* row : rows) {
    name = std::max(name, row->key.size());
    shapes = std::max(shapes, row->input_shapes.size());
  }
  TextTable table;
  table.add_column("Name", std::min(name + 4, kNameWidth));
  for (const char* header :
       {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"}) {
    table.add_column(header, kWidth);
  }
  if (shown.device_time) {
    for (const char* header : {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"}) {
      table.add_column(header, kWidth);
    }
  }
  if (shown.memory) {
    for (const char* header : {"CPU Mem", "Self CPU Mem"}) table.add_column(header, kWidth);
  }
  if (shown.device_memory) {
    for (const char* header : {"CUDA Mem", "Self CUDA Mem"}) table.add_column(header, kWidth);
  }
  table.add_column("# of Calls", kWidth);
  if (shown.shapes) table.add_column("Input Shapes", std::min(shapes + 4, kShapesWidth));
  return table;
}

std::vector<std::string> cells_of(const Row& row, const Shown& shown, double cpu, double device) {
  std::string name = row.key;
  if (name.size() >= kNameWidth - 3) name = name.substr(0, kNameWidth - 3) + "...";
  std::vector<std::string> cells = {std::move(name),
                                    share_text(row.self_cpu_time_total, cpu),
                                    time_text(row.self_cpu_time_total),
                                    share_text(row.cpu_time_total, cpu),
                                    time_text(row.cpu_time_total),
                                    time_text(row.cpu_time())};
  if (shown.device_time) {
    cells.insert(cells.end(), {time_text(row.self_device_time_total),
                               share_text(row.self_device_time_total, device),
                               time_text(row.device_time_total), time_text(row.device_time())});
  }
  if (shown.memory) {
    cells.push_back(memory_text(row.cpu_memory_usage));
    cells.push_back(memory_text(row.self_cpu_memory_usage));
  }
  if (shown.device_memory) {
    cells.push_back(memory_text(row.device_memory_usage));
    cells.push_back(memory_text(row.self_device_memory_usage));
  }
  cells.push_back(std::to_string(row.count));
  if (shown.shapes) cells.push_back(row.input_shapes.substr(0, kShapesWidth));
  return cells;
}

}  // namespace

std::string EventList::table(std::string_view sort_by,
                             StrictInteger<std::int64_t> row_limit) const {
  TERN_CHECK(row_limit >= -1, Error, "table: row_limit must be -1 (all rows) or not negative, got ",
             static_cast<std::int64_t>(row_limit));
  const Value value = sort_by.empty() ? nullptr : sort_value(sort_by);
  if (rows_.empty()) return {};
  std::vector<const Row*> rows;
  double cpu = 0, device = 0;
  Shown shown;
  shown.memory = memory_;
  for (const Row& row : rows_) {
    rows.push_back(&row);
    cpu += row.self_cpu_time_total;
    device += row.self_device_time_total;
    shown.device_memory |= row.self_device_memory_usage != 0 || row.device_memory_usage != 0;
    shown.shapes |= row.input_shapes.size() > 2;
  }
  shown.device_time = device > 0;
  if (value != nullptr) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row* a, const Row* b) { return value(*a) > value(*b); });
  }
  const TextTable table = table_for(rows, shown);
  std::string text = table.rule() + table.header() + table.rule();
  std::int64_t left = row_limit;
  for (const Row* row : rows) {
    if (left-- == 0) break;
    text += table.row(cells_of(*row, shown, cpu, device));
  }
  text += table.rule();
  text += "Self CPU time total: " + time_text(cpu) + '\n';
  if (shown.device_time) text += "Self CUDA time total: " + time_text(device) + '\n';
  if (lost_ != 0) text += "Lost events: " + std::to_string(lost_) + '\n';
  return text;
}

}  // namespace tern::profiler
