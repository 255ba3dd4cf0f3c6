#include <string>
#include <vector>

#include "error_of.h"
#include "profiler_test.h"

namespace tern::testing {
namespace {

using profiler::EventList;
using profiler::FunctionEventAvg;

std::vector<FunctionEventAvg> two_rows() {
  FunctionEventAvg a, b;
  a.key = "relu";
  a.count = 2;
  a.cpu_time_total = a.self_cpu_time_total = 250;
  b.key = "linear";
  b.count = 1;
  b.cpu_time_total = 2000;
  b.self_cpu_time_total = 750;
  b.cpu_memory_usage = 1536;
  b.self_cpu_memory_usage = -12;
  return {a, b};
}

TEST(EventTable, HasPyTorchsForm) {
  const EventList list(two_rows(), false, 0);
  EXPECT_EQ(list.table("self_cpu_time_total", 10),
            "----------  ------------  ------------  ------------  ------------  ------------  "
            "------------  \n"
            "      Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # "
            "of Calls  \n"
            "----------  ------------  ------------  ------------  ------------  ------------  "
            "------------  \n"
            "    linear        75.00%     750.000us       200.00%       2.000ms       2.000ms      "
            "       1  \n"
            "      relu        25.00%     250.000us        25.00%     250.000us     125.000us      "
            "       2  \n"
            "----------  ------------  ------------  ------------  ------------  ------------  "
            "------------  \n"
            "Self CPU time total: 1.000ms\n");
}

TEST(EventTable, SortsAndLimits) {
  const EventList list(two_rows(), true, 0);
  const std::string all = list.table("", -1);
  EXPECT_LT(all.find("relu"), all.find("linear"));  // unsorted
  EXPECT_NE(all.find("     1.50 KB         -12 B"), std::string::npos) << all;
  EXPECT_NE(all.find("     CPU Mem  Self CPU Mem    # of Calls"), std::string::npos) << all;
  EXPECT_EQ(list.table("count", 1).find("linear"), std::string::npos);
  EXPECT_EQ(list.table("cpu_time", 1).find("relu"), std::string::npos);
  EXPECT_EQ(list.table("count", 0).find("relu"), std::string::npos);
  EXPECT_EQ(list.table("self_cuda_time_total"), list.table("self_device_time_total"));
}

TEST(EventTable, RefusesUnknownColumns) {
  const EventList list(two_rows(), false, 0);
  EXPECT_EQ(error_of([&] { list.table("nonsense"); }),
            "table: sort_by must be one of cpu_time, cpu_time_total, self_cpu_time_total, "
            "cpu_memory_usage, self_cpu_memory_usage, device_time, device_time_total, "
            "self_device_time_total, device_memory_usage, self_device_memory_usage, count; got "
            "'nonsense'");
  EXPECT_EQ(error_of([&] { list.table("count", -2); }),
            "table: row_limit must be -1 (all rows) or not negative, got -2");
}

TEST(EventTable, CutsLongNames) {
  std::vector<FunctionEventAvg> rows = two_rows();
  rows[0].key = std::string(80, 'x');
  const std::string text = EventList(rows, false, 3).table();
  EXPECT_NE(text.find(std::string(52, 'x') + "...  "), std::string::npos) << text;
  EXPECT_NE(text.find("Lost events: 3\n"), std::string::npos);
}

}  // namespace
}  // namespace tern::testing
