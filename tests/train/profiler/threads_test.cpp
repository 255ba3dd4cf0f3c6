#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiler_test.h"

// Also run under the thread sanitizer: other threads record while the profile starts and stops.

namespace tern::testing {
namespace {

using profiler::Profile;
using profiler::ProfileOptions;
using profiler::RecordFunction;

struct Numbers : data::Dataset<Numbers> {
  data::Example<> get(std::size_t index) override {
    const Tensor x = full({64}, static_cast<double>(index));
    return {x.mul(2), x};
  }
  std::optional<std::size_t> size() const override { return 64; }
};

std::set<std::string> thread_names(const Profile& profile) {
  std::set<std::string> names;
  for (const auto& event : profile.events()) names.insert(event.thread_name);
  return names;
}

TEST(ProfileThreads, RecordsWorkersAndThePool) {
  const int before = get_num_threads();
  set_num_threads(3);
  ProfiledNet net;
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.1));
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Numbers().map(data::transforms::Stack<>()), data::DataLoaderOptions(8).workers(2));
  Profile profile(ProfileOptions().record_shapes(true).profile_memory(true));
  profile.start();
  const Tensor large = randn({512, 512});
  for (auto& batch : *loader) {
    const RecordFunction range("step");
    train_step(net, optimizer, batch.data.reshape({-1, 8}));
    large.mm(large);
  }
  profile.stop();
  set_num_threads(before);
  const std::set<std::string> names = thread_names(profile);
  EXPECT_TRUE(names.contains("main thread"));
  EXPECT_TRUE(names.contains("DataLoader worker 0") || names.contains("DataLoader worker 1"));
  EXPECT_EQ(named(profile, "DataLoader fetch").size(), 8u);
  EXPECT_EQ(named(profile, "enumerate(DataLoader)#next").size(), 9u);
  expect_nested(profile);
  for (const auto& event : profile.events()) {
    EXPECT_EQ(event.category == "parallel", event.thread_name.starts_with("tern pool "))
        << event.name;
  }
  profiler::EventList averages = profile.key_averages();
  EXPECT_EQ(averages.find("Optimizer.step#Adam.step")->count, 8);
  EXPECT_GE(averages.find("mm")->count, 8);
}

TEST(ProfileThreads, ThreadsMayRecordWhileAProfileStartsAndStops) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      const Tensor x = ones({4}).requires_grad_(true);
      while (!stop) {
        const RecordFunction range("thread " + std::to_string(i));
        x.exp().sum().backward();
      }
    });
  }
  Profile profile(ProfileOptions().record_shapes(true).profile_memory(true));
  std::size_t events = 0;
  for (int i = 0; i < 20; ++i) {
    profile.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    profile.stop();
    expect_nested(profile);
    events += profile.events().size();  // on a busy machine a recording may have none
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(events, 0u);
}

// A thread may copy the name of a range for one recording and begin the range in the next one.
TEST(ProfileThreads, ANameLivesAsLongAsItsEvent) {
  std::atomic<bool> stop{false};
  std::set<std::string> names;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    const std::string name(100, static_cast<char>('a' + i));
    names.insert(name);
    threads.emplace_back([&stop, name] {
      while (!stop) const RecordFunction range(name);
    });
  }
  std::size_t events = 0;
  for (int i = 0; i < 50; ++i) {
    Profile profile(ProfileOptions().max_events(10'000));
    profile.start();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    profile.stop();
    for (const auto& event : profile.events()) {
      ++events;
      if (!names.contains(event.name)) ADD_FAILURE() << event.name;
    }
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(events, 0u);
}

TEST(ProfileThreads, KeepsTheEventsOfThreadsThatEnd) {
  Profile profile;
  profile.start();
  std::thread([] { ones({2}).exp(); }).join();
  profile.stop();
  EXPECT_EQ(named(profile, "exp").size(), 1u);
}

}  // namespace
}  // namespace tern::testing
