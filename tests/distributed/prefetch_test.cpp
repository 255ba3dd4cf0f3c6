#include <gtest/gtest.h>

#include "distributed/alike_ranks.h"
#include "distributed/events.h"
#include "distributed/sharded_net.h"

// fully_shard: the parameters of the next unit travel while the present one computes.

namespace tern::testing {
namespace {

/// Two layers. `at` runs between them, in forward and in backward.
struct StageImpl : nn::Module {
  explicit StageImpl(std::function<void(const std::string& where)> at_middle)
      : at(std::move(at_middle)) {
    first = register_module("first", nn::Linear(4, 4));
    second = register_module("second", nn::Linear(4, 4));
  }
  Tensor forward(const Tensor& x) {
    const Tensor middle = first(x);
    at("forward");
    middle.register_hook([this](const Tensor& grad) {
      at("backward");
      return grad;
    });
    return second(middle);
  }
  std::function<void(const std::string& where)> at;
  nn::Linear first{nullptr}, second{nullptr};
};
TERN_MODULE(Stage);

constexpr int kStages = 4;

/// A step through units of two layers each, with activations between them, which are units, too. In
/// the middle of a unit the program waits for the gather of the next one to begin (in backward that
/// is the one before it), and no gather ends before the program is there: it goes on meanwhile.
struct Prefetching {
  Prefetching() {
    for (int i = 1; i <= kStages; ++i) {
      stages->push_back(Stage([this, i](const std::string& where) { at_middle(where, i); }));
      stages->push_back(nn::ReLU());
    }
    const auto options =
        ShardOptions()
            .process_group(ProcessGroup(std::make_unique<AlikeRanks>(
                [this](AlikeRanks::Kind kind, std::int64_t bytes) { travel(kind, bytes); })))
            .units(stages->children());
    fully_shard(stages, options);
  }

  void at_middle(const std::string& where, int unit) {
    if (!is_watched) return;
    const int next = where == "forward" ? unit + 1 : unit - 1;
    const std::string name = where + " " + std::to_string(unit);
    if (next >= 1 && next <= kStages) {
      if (!events.wait_for(where + ": gather " + std::to_string(next))) {
        events.add("waited in vain");
      }
    }
    events.add("middle of " + name);
  }

  // Before its parameters a unit sends a mark of its number and one more byte.
  void travel(AlikeRanks::Kind kind, std::int64_t bytes) {
    if (!is_watched) return;
    if (kind == AlikeRanks::Kind::kReduceScatter) events.add("average");
    if (kind != AlikeRanks::Kind::kBroadcast) return;
    const int unit = static_cast<int>(bytes) / 2;  // the activations have numbers, too
    const std::string where = is_forward ? "forward" : "backward";
    events.add(where + ": gather " + std::to_string(unit));
    // The first gather has no unit to go on with.
    const int before = is_forward ? unit - 1 : unit + 1;
    if (before < 1 || before > kStages) return;
    if (!events.wait_for("middle of " + where + " " + std::to_string(before))) {
      events.add("held in vain");
    }
  }

  void step(bool watch) {
    is_forward = true;
    is_watched = watch;
    const Tensor loss = stages(ones({2, 4})).sum();
    events.add("end of forward");
    is_forward = false;
    loss.backward();
    is_watched = false;
  }

  Events events;
  std::atomic<bool> is_watched = false, is_forward = true;
  nn::Sequential stages;
};

TEST(Prefetch, TheNextUnitTravelsWhileThePresentOneComputes) {
  TERN_NEEDS_THREADS();
  Prefetching net;
  net.step(false);  // learns the order of the units
  net.events.clear();
  net.step(true);
  const std::vector<std::string> events = net.events.list();
  expect_nothing_in_vain(events);
  for (int unit = 1; unit < kStages; ++unit) {
    const std::string present = std::to_string(unit), next = std::to_string(unit + 1);
    EXPECT_LT(place_of(events, "forward: gather " + next),
              place_of(events, "middle of forward " + present));
    EXPECT_LT(place_of(events, "backward: gather " + present),
              place_of(events, "middle of backward " + next));
  }
}

}  // namespace
}  // namespace tern::testing
