#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "error_of.h"
#include "profiler_test.h"

namespace tern::testing {
namespace {

using profiler::Profile;
using profiler::ProfileOptions;
using profiler::ProfilerAction;
using profiler::RecordFunction;
using profiler::ScheduleOptions;

TEST(Profile, CountsOpsRulesRangesAndModulesOfAStep) {
  ProfiledNet net;
  optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1));
  const Tensor x = randn({32, 8});
  train_step(net, optimizer, x);
  Profile profile;
  profiled(profile, [&] {
    for (int i = 0; i < 3; ++i) {
      const RecordFunction range("step");
      train_step(net, optimizer, x);
    }
  });
  const auto averages = profile.key_averages();
  for (const char* name : {"step", "relu", "mean", "pow", "ReluBackward0", "MeanBackward0",
                           "PowBackward0", "Optimizer.step#SGD.step"}) {
    ASSERT_NE(averages.find(name), nullptr) << name;
    EXPECT_EQ(averages.find(name)->count, 3) << name;
  }
  ASSERT_NE(averages.find("linear"), nullptr);
  EXPECT_EQ(averages.find("linear")->count, 6);
  EXPECT_EQ(averages.find("torch::autograd::AccumulateGrad")->count, 12);
  for (const auto& row : averages) {
    EXPECT_GE(row.self_cpu_time_total, -0.01) << row.key;
    EXPECT_LE(row.self_cpu_time_total, row.cpu_time_total + 0.01) << row.key;
  }
  // All ran inside the ranges.
  EXPECT_NEAR(averages.self_cpu_time_total(), averages.find("step")->cpu_time_total, 1);
  const auto modules = profile.module_averages();
  ASSERT_EQ(modules.size(), 5u);
  EXPECT_EQ(modules[0].key, "ProfiledNet");
  EXPECT_EQ(modules[1].key, "body (Sequential)");
  EXPECT_EQ(modules[2].key, "body.0 (Linear)");
  EXPECT_EQ(modules[3].key, "body.1 (ReLU)");
  EXPECT_EQ(modules[4].key, "head (Linear)");
  for (const auto& row : modules) EXPECT_EQ(row.count, 3) << row.key;
  EXPECT_NEAR(modules.self_cpu_time_total(), modules[0].cpu_time_total, 1);
  EXPECT_EQ(profile.lost_events(), 0);
  expect_nested(profile);
}

TEST(Profile, KeepsOpsAndTheirRulesTogether) {
  const Tensor x = ones({3}).requires_grad_(true);
  Profile profile;
  profiled(profile, [&] { x.exp().sum().backward(); });
  const auto exp = named(profile, "exp"), rule = named(profile, "ExpBackward0");
  ASSERT_EQ(exp.size(), 1u);
  ASSERT_EQ(rule.size(), 1u);
  EXPECT_GE(exp[0].sequence_nr, 0);
  EXPECT_EQ(exp[0].sequence_nr, rule[0].sequence_nr);
}

TEST(Profile, RecordsNothingOutsideOfStartAndStop) {
  Profile profile;
  ones({2}).exp();
  profiled(profile, [] { ones({2}).sin(); });
  ones({2}).cos();
  EXPECT_TRUE(named(profile, "exp").empty());
  EXPECT_EQ(named(profile, "sin").size(), 1u);
  EXPECT_TRUE(named(profile, "cos").empty());
  profiled(profile, [] { ones({2}).cos(); });  // a profile may start again
  EXPECT_TRUE(named(profile, "sin").empty());
  EXPECT_EQ(named(profile, "cos").size(), 1u);
}

TEST(Profile, GroupsByInputShape) {
  Profile profile(ProfileOptions().record_shapes(true));
  const Tensor a = ones({2, 3}), b = ones({4});
  profiled(profile, [&] {
    a.exp();
    b.exp();
    b.exp();
    cat({b, b});
    a.mul(a);
  });
  EXPECT_EQ(profile.key_averages().find("exp")->count, 3);
  std::vector<std::string> found;
  for (const auto& row : profile.key_averages(true)) {
    if (row.key == "exp" || row.key == "mul") {
      found.push_back(row.key + row.input_shapes + std::to_string(row.count));
    }
  }
  EXPECT_EQ(found, (std::vector<std::string>{"exp[[2, 3]]1", "exp[[4]]2", "mul[[2, 3], [2, 3]]1"}));
  EXPECT_NE(profile.key_averages(true).table().find("Input Shapes"), std::string::npos);
}

TEST(Profile, CountsMemoryWhereItIsAllocated) {
  Profile profile(ProfileOptions().profile_memory(true));
  std::optional<Tensor> kept;
  profiled(profile, [&] {
    const RecordFunction outer("outer");
    {
      const RecordFunction range("allocates");
      kept = empty({1000});
    }
    const RecordFunction range("frees");
    kept.reset();
  });
  const auto rows = profile.key_averages();
  EXPECT_EQ(rows.find("allocates")->cpu_memory_usage, 4000);
  EXPECT_EQ(rows.find("frees")->cpu_memory_usage, -4000);
  EXPECT_EQ(rows.find("outer")->cpu_memory_usage, 0);
  EXPECT_EQ(rows.find("outer")->self_cpu_memory_usage, 0);
  profiled(profile, [] { const Tensor loose = empty({256}); });
  EXPECT_NE(profile.key_averages().find("[memory]"), nullptr);  // the free is outside of all ops
}

TEST(Profile, StaysConsistentWhenAnExceptionEndsScopes) {
  ProfiledNet net;
  Profile profile;
  profile.start();
  for (int i = 0; i < 2; ++i) {
    try {
      const RecordFunction range("fails");
      net(randn({2, 9}));
      FAIL();
    } catch (const Error&) {
    }
  }
  { const RecordFunction range("after"); }
  profile.stop();
  EXPECT_EQ(named(profile, "fails").size(), 2u);
  const auto after = named(profile, "after");
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].parent, -1);
  expect_nested(profile);
}

TEST(Profile, EndsOpenEventsAtStop) {
  Profile profile;
  profile.start();
  std::optional<RecordFunction> range(std::in_place, "open");
  ones({2}).exp();
  profile.stop();
  const auto open = named(profile, "open");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_GE(open[0].duration_us, named(profile, "exp").at(0).duration_us);
  profile.start();
  ones({2}).exp();
  range.reset();  // belongs to the first recording
  ones({2}).sin();
  profile.stop();
  EXPECT_TRUE(named(profile, "open").empty());
  EXPECT_EQ(named(profile, "sin").at(0).parent, -1);
}

TEST(Profile, ARangeThatEndsOnAnotherThreadStaysOpen) {
  Profile profile;
  profile.start();
  std::optional<RecordFunction> range(std::in_place, "wanders");
  std::thread([&] { range.reset(); }).join();
  profile.stop();
  EXPECT_EQ(named(profile, "wanders").size(), 1u);
}

TEST(Profile, RefusesASecondProfileAndCallsOutOfOrder) {
  Profile first, second;
  EXPECT_EQ(error_of([&] { first.key_averages(); }),
            "Profiler must be initialized before getting key averages: there is no recording, call "
            "Profile::start() and stop() first");
  EXPECT_EQ(error_of([&] { first.stop(); }),
            "Profiler must be initialized before stopping trace: call Profile::start() first");
  EXPECT_EQ(error_of([&] { first.step(); }),
            "Profiler must be initialized before calling step(): call Profile::start() first");
  EXPECT_EQ(error_of([&] { first.export_chrome_trace("x"); }),
            "Profiler must be initialized before exporting chrome trace: there is no recording, "
            "call Profile::start() and stop() first");
  first.start();
  EXPECT_EQ(error_of([&] { second.start(); }),
            "Profiler is already enabled: another tern::profiler::Profile has started and not "
            "stopped; a process has one at a time");
  EXPECT_EQ(error_of([&] { first.start(); }),
            "Profiler is already enabled: this Profile has started; call stop() first");
  EXPECT_EQ(error_of([&] { first.key_averages(); }),
            "Profiler must be initialized before getting key averages: the recording is not "
            "complete, call Profile::stop() first");
  first.stop();
  second.start();
  second.stop();
  {
    Profile forgotten;
    forgotten.start();
  }
  first.start();
  first.stop();
  EXPECT_EQ(error_of([] { Profile none(ProfileOptions().max_events(0)); }),
            "Profile: max_events must be positive, got 0");
}

TEST(Profile, CountsEventsThatFindNoRoom) {
  Profile profile(ProfileOptions().max_events(2000));
  const Tensor x = ones({2});
  profiled(profile, [&] {
    for (int i = 0; i < 3000; ++i) x.neg();
  });
  const auto events = static_cast<std::int64_t>(profile.events().size());
  EXPECT_GT(profile.lost_events(), 0);
  EXPECT_LE(events, 2000);
  EXPECT_GT(events, 500);
  EXPECT_EQ(events + profile.lost_events(), 6000);  // an op and its kernel
  EXPECT_NE(profile.key_averages().table().find("Lost events: "), std::string::npos);
  expect_nested(profile);
}

TEST(Schedule, WaitsWarmsUpRecordsAndRepeats) {
  const auto plan =
      profiler::schedule(ScheduleOptions().skip_first(1).wait(1).warmup(1).active(2).repeat(2));
  using enum ProfilerAction;
  const ProfilerAction expected[] = {NONE, NONE,   WARMUP, RECORD,          RECORD_AND_SAVE,
                                     NONE, WARMUP, RECORD, RECORD_AND_SAVE, NONE,
                                     NONE};
  for (std::int64_t i = 0; i < 11; ++i) EXPECT_EQ(plan(i), expected[i]) << i;
  EXPECT_EQ(error_of([&] { plan(-1); }), "Step must be non-negative. Got -1.");
  EXPECT_EQ(error_of([] { profiler::schedule(ScheduleOptions().wait(-1)); }),
            "Invalid profiler schedule arguments. Got wait=-1 (need >= 0), warmup=0 (need >= 0), "
            "active=0 (need > 0), repeat=0 (need >= 0), skip_first=0 (need >= 0).");
}

TEST(Schedule, HandsOverEachRecording) {
  std::vector<std::int64_t> steps, counts;
  Profile profile(
      ProfileOptions()
          .schedule(profiler::schedule(ScheduleOptions().wait(1).warmup(1).active(2).repeat(2)))
          .on_trace_ready([&](Profile& ready) {
            steps.push_back(ready.step_num());
            counts.push_back(ready.key_averages().find("exp")->count);
            EXPECT_EQ(ready.key_averages().find("ProfilerStep*")->count, 2);
            EXPECT_EQ(error_of([&] { ready.step(); }),
                      "Profile: on_trace_ready must not call start(), stop() or step()");
          }));
  const Tensor x = ones({2});
  profile.start();
  for (int i = 0; i < 10; ++i) {
    x.exp();
    profile.step();
  }
  profile.stop();
  EXPECT_EQ(steps, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(named(profile, "ProfilerStep#7").size(), 1u);
}

TEST(Schedule, ARecordingThatStopsEarlyIsHandedOverToo) {
  int calls = 0;
  Profile profile(ProfileOptions()
                      .schedule(profiler::schedule(ScheduleOptions().active(5)))
                      .on_trace_ready([&](Profile&) { ++calls; }));
  profiled(profile, [&] { profile.step(); });
  EXPECT_EQ(calls, 1);
  Profile throws(ProfileOptions().on_trace_ready(
      [](Profile&) { throw std::runtime_error("from the callback"); }));
  throws.start();
  EXPECT_THROW(throws.stop(), std::runtime_error);
  EXPECT_EQ(throws.current_action(), ProfilerAction::NONE);
  profiled(profile, [] {});  // the failed callback did not keep the recorder
}

}  // namespace
}  // namespace tern::testing
