#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "error_of.h"
#include "profiler_test.h"
#include "serialization/scratch.h"

namespace tern::testing {
namespace {

using nlohmann::json;
using profiler::Profile;
using profiler::ProfileOptions;
using profiler::RecordFunction;

json trace_of(const Profile& profile) {
  const Scratch scratch;
  profile.export_chrome_trace(scratch.path("trace.json"));
  EXPECT_EQ(scratch.contents().size(), 1u);
  return json::parse(std::ifstream(scratch.path("trace.json")));
}

// The bars of each thread lie in each other or beside each other.
void expect_bars_nest(const json& trace) {
  std::map<std::int64_t, std::vector<std::pair<double, double>>> bars;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const double start = event["ts"];
    bars[event["tid"]].emplace_back(start, start + event["dur"].get<double>());
  }
  constexpr double kRounding = 0.002;
  for (auto& [thread, all] : bars) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<double> open;
    for (const auto& [start, end] : all) {
      while (!open.empty() && open.back() <= start + kRounding) open.pop_back();
      EXPECT_TRUE(open.empty() || end <= open.back() + kRounding) << "thread " << thread;
      open.push_back(end);
    }
  }
}

std::size_t count_of(const json& trace, const char* phase, const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(trace["traceEvents"].begin(), trace["traceEvents"].end(),
                    [&](const json& e) { return e["ph"] == phase && e["name"] == name; }));
}

TEST(ChromeTrace, HasBarsArrowsThreadsAndMemory) {
  ProfiledNet net;
  optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1));
  const Tensor x = randn({32, 8});
  train_step(net, optimizer, x);
  Profile profile(ProfileOptions().record_shapes(true).profile_memory(true));
  profiled(profile, [&] {
    const RecordFunction range("step");
    train_step(net, optimizer, x);
  });
  const json trace = trace_of(profile);
  expect_bars_nest(trace);
  EXPECT_EQ(count_of(trace, "X", "step"), 1u);
  EXPECT_EQ(count_of(trace, "X", "body.0 (Linear)"), 1u);
  EXPECT_EQ(count_of(trace, "X", "torch::autograd::AccumulateGrad"), 4u);
  EXPECT_EQ(count_of(trace, "X", "[memory]"), 0u);
  EXPECT_GT(count_of(trace, "C", "memory of cpu"), 4u);
  std::map<std::int64_t, json> starts, ends;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "s") starts[event["id"]] = event;
    if (event["ph"] == "f") ends[event["id"]] = event;
    if (event["ph"] == "M" && event["name"] == "thread_name") {
      EXPECT_EQ(event["args"]["name"], "main thread");
    }
    if (event["ph"] == "X" && event["name"] == "relu") {
      EXPECT_EQ(event["args"]["Input Dims"], json::parse("[[32, 16]]"));
      EXPECT_EQ(event["cat"], "cpu_op");
    }
    if (event["ph"] == "X" && event["cat"] == "kernel") {
      EXPECT_EQ(event["args"]["device"], "cpu");
    }
  }
  // linear, relu, linear, pow, mean
  EXPECT_EQ(starts.size(), 5u);
  ASSERT_EQ(starts.size(), ends.size());
  for (const auto& [id, start] : starts) {
    EXPECT_LT(start["ts"].get<double>(), ends.at(id)["ts"].get<double>());
  }
}

TEST(ChromeTrace, EscapesNames) {
  Profile profile;
  profiled(profile, [] {
    const RecordFunction a("quote \" slash \\ line \n bell \x07 grad \xc3\xa9");
    const RecordFunction b("broken \xff\xc3");
    const RecordFunction c("");
  });
  const json trace = trace_of(profile);
  EXPECT_EQ(count_of(trace, "X", "quote \" slash \\ line \n bell \x07 grad \xc3\xa9"), 1u);
  EXPECT_EQ(count_of(trace, "X", "broken \xef\xbf\xbd\xef\xbf\xbd"), 1u);
  EXPECT_EQ(count_of(trace, "X", ""), 1u);
}

TEST(ChromeTrace, OfNothingIsValid) {
  Profile profile;
  profiled(profile, [] {});
  EXPECT_EQ(trace_of(profile)["traceEvents"].size(), 1u);  // the name of the process
  EXPECT_EQ(profile.key_averages().table(), "");
}

TEST(ChromeTrace, LeavesTheOldFileWhenItCannotBeWritten) {
  Profile profile;
  profiled(profile, [] {});
  const Scratch scratch;
  const std::string text =
      error_of<FileError>([&] { profile.export_chrome_trace(scratch.path("none/trace.json")); });
  EXPECT_NE(text.find("none/trace.json"), std::string::npos) << text;
}

}  // namespace
}  // namespace tern::testing
