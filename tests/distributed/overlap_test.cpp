#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include <gtest/gtest.h>

#include <tern/core/distributed/detail/transport.h>

#include "distributed/training.h"

// Communication goes on while backward() computes. The tests count and wait for events: they take
// no times.

namespace tern::testing {
namespace {

using distributed::detail::Reduction;
using distributed::detail::Result;
using distributed::detail::Transport;

/// What happened, on the thread of the program and on that of the group.
class Events {
 public:
  void add(const std::string& event) {
    {
      const std::lock_guard lock(mutex_);
      list_.push_back(event);
    }
    changed_.notify_all();
  }
  /// Returns false if the event does not come within 20 seconds.
  bool wait_for(const std::string& event) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] {
      return std::find(list_.begin(), list_.end(), event) != list_.end();
    });
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return list_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    list_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> list_;
};

/// One of two ranks that are alike. An all_reduce of `held` elements ends after the event.
class HeldTransport final : public Transport {
 public:
  HeldTransport(Events& events, std::int64_t held, std::string until)
      : events_(events), held_(held), until_(std::move(until)) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void set_timeout(double /*seconds*/) override {}
  Result all_reduce(void* /*data*/, std::int64_t count, ScalarType /*dtype*/,
                    Reduction op) override {
    if (op == Reduction::kMin) return {};  // the comparison of calls
    const std::string name = std::to_string(count);
    events_.add("start " + name);
    if (count == held_ && !events_.wait_for(until_)) events_.add("held in vain");
    events_.add("end " + name);
    return {};
  }
  Result reduce_scatter(const void*, void*, std::int64_t, ScalarType, Reduction) override {
    return {};
  }
  Result broadcast(void*, std::int64_t, int) override { return {}; }
  Result all_gather(const void* in, void* out, std::int64_t bytes) override {
    std::memcpy(out, in, static_cast<std::size_t>(bytes));
    std::memcpy(static_cast<char*>(out) + bytes, in, static_cast<std::size_t>(bytes));
    return {};
  }
  Result all_to_all(const void*, void*, std::int64_t) override { return {}; }
  Result send(const void*, std::int64_t, int) override { return {}; }
  Result recv(void*, std::int64_t, int) override { return {}; }
  Result split(int /*color*/, int /*key*/, Transport** part) override {
    *part = new HeldTransport(events_, held_, until_);
    return {};
  }
  void enter(const distributed::detail::Call* /*call*/) override {}
  void call_roll(const char* /*mine*/, char* /*positions*/) override {}

 private:
  Events& events_;
  std::int64_t held_;
  std::string until_;
};

/// The events of a backward() through layers of 12, 20 and 30 elements, whose gradients are
/// complete in the order 30, 20, 12; `held` and `until` as above.
std::vector<std::string> events_of_backward(std::int64_t held, const std::string& until) {
  Events events;
  const auto layer = [](std::int64_t in, std::int64_t out) {
    return nn::Linear(nn::LinearOptions(in, out).bias(false));
  };
  const nn::Sequential net(layer(3, 4), layer(4, 5), layer(5, 6));
  const ProcessGroup group(std::make_unique<HeldTransport>(events, held, until));
  DistributedDataParallel<nn::Sequential> ddp(net, ddp_options(group).bucket_cap_mb(1e-9));
  for (const Tensor& weight : net->parameters()) {
    weight.register_hook([&events, held, size = weight.numel()](const Tensor& grad) {
      // The last gradient waits for the held all_reduce, which therefore begins before it.
      if (size == 12 && !events.wait_for("start " + std::to_string(held))) {
        events.add("waited in vain");
      }
      events.add("gradient " + std::to_string(size));
      return grad;
    });
  }
  events.clear();
  ddp(ones({2, 3})).sum().backward();
  events.add("end of backward");
  return events.list();
}

std::ptrdiff_t place_of(const std::vector<std::string>& events, const std::string& event) {
  const auto found = std::find(events.begin(), events.end(), event);
  EXPECT_NE(found, events.end()) << event;
  return found - events.begin();
}

void expect_nothing_in_vain(const std::vector<std::string>& events) {
  for (const char* event : {"held in vain", "waited in vain"}) {
    EXPECT_EQ(std::count(events.begin(), events.end(), event), 0);
  }
}

TEST(Overlap, BackwardComputesWhileTheFirstBucketTravels) {
  TERN_NEEDS_THREADS();
  // The first all_reduce ends after the last gradient: backward() does not wait for it.
  const std::vector<std::string> events = events_of_backward(30, "gradient 12");
  expect_nothing_in_vain(events);
  EXPECT_LT(place_of(events, "start 30"), place_of(events, "gradient 12"));
  EXPECT_LT(place_of(events, "gradient 12"), place_of(events, "end 30"));
  EXPECT_LT(place_of(events, "end 30"), place_of(events, "start 20"));
  EXPECT_LT(place_of(events, "end 20"), place_of(events, "start 13"));  // and the mark of unused
  EXPECT_LT(place_of(events, "end 13"), place_of(events, "end of backward"));
}

TEST(Overlap, EachBucketStartsWhenItsGradientsAreComplete) {
  TERN_NEEDS_THREADS();
  const std::vector<std::string> events = events_of_backward(20, "gradient 12");
  expect_nothing_in_vain(events);
  EXPECT_LT(place_of(events, "gradient 30"), place_of(events, "start 30"));
  EXPECT_LT(place_of(events, "gradient 20"), place_of(events, "start 20"));
  EXPECT_LT(place_of(events, "gradient 12"), place_of(events, "end 20"));
}

}  // namespace
}  // namespace tern::testing
