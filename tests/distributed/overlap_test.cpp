#include <gtest/gtest.h>

#include "distributed/alike_ranks.h"
#include "distributed/events.h"
#include "distributed/training.h"

// Communication goes on while backward() computes. The tests count and wait for events: they take
// no times.

namespace tern::testing {
namespace {

/// The collectives of two ranks; an all_reduce of `held` elements ends after the event.
std::unique_ptr<AlikeRanks> held_ranks(Events& events, std::int64_t held,
                                       const std::string& until) {
  return std::make_unique<AlikeRanks>(
      [&events, held, until](AlikeRanks::Kind kind, std::int64_t bytes) {
        if (kind != AlikeRanks::Kind::kAllReduce) return;
        const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(float));
        const std::string name = std::to_string(count);
        events.add("start " + name);
        if (count == held && !events.wait_for(until)) events.add("held in vain");
        events.add("end " + name);
      });
}

/// The events of a backward() through layers of 12, 20 and 30 elements, whose gradients are
/// complete in the order 30, 20, 12; `held` and `until` as above.
std::vector<std::string> events_of_backward(std::int64_t held, const std::string& until) {
  Events events;
  const auto layer = [](std::int64_t in, std::int64_t out) {
    return nn::Linear(nn::LinearOptions(in, out).bias(false));
  };
  const nn::Sequential net(layer(3, 4), layer(4, 5), layer(5, 6));
  const ProcessGroup group(held_ranks(events, held, until));
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
