#include "data_programs.h"

namespace compat_data {
namespace {

TEST(CompatQueueTest, PushesPopsAndClears) {
  torch::data::detail::Queue<int> queue;
  queue.push(1);
  queue.push(2);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.clear(), 1);
  EXPECT_EQ(queue.clear(), 0);
  EXPECT_EQ(error_of([&] { queue.pop(milliseconds(1)); }),
            "Timeout in DataLoader queue while waiting for next batch (timeout was 1 ms)");
  std::thread later([&] { queue.push(3); });
  EXPECT_EQ(queue.pop(), 3);
  later.join();
}

TEST(CompatDataShuttleTest, CountsJobsInFlight) {
  torch::data::detail::DataShuttle<int, int> shuttle;
  EXPECT_FALSE(shuttle.pop_result().has_value());
  shuttle.push_job(1);
  shuttle.push_job(2);
  EXPECT_EQ(shuttle.in_flight_jobs(), 2);
  EXPECT_THROW(shuttle.pop_result(milliseconds(1)), c10::Error);
  shuttle.push_result(10 * shuttle.pop_job());
  EXPECT_EQ(shuttle.in_flight_jobs(), 2);
  EXPECT_EQ(shuttle.pop_result(), 10);
  EXPECT_EQ(shuttle.in_flight_jobs(), 1);
  shuttle.drain();
  EXPECT_EQ(shuttle.in_flight_jobs(), 0);
}

TEST(CompatSequencersTest, OrderResults) {
  struct Result {
    std::size_t sequence_number;
  };
  namespace sequencers = torch::data::detail::sequencers;
  const auto order = [](sequencers::Sequencer<Result>& sequencer) {
    std::vector<std::size_t> came{2, 0, 1, 3}, given;
    std::reverse(came.begin(), came.end());
    const auto next = [&]() -> std::optional<Result> {
      if (came.empty()) return std::nullopt;
      const std::size_t number = came.back();
      came.pop_back();
      return Result{number};
    };
    while (auto result = sequencer.next(next)) given.push_back(result->sequence_number);
    return given;
  };
  sequencers::NoSequencer<Result> none;
  EXPECT_EQ(order(none), (std::vector<std::size_t>{2, 0, 1, 3}));
  sequencers::OrderedSequencer<Result> ordered(3);
  EXPECT_EQ(order(ordered), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(CompatIteratorTest, FetchesWhenNeeded) {
  int fetched = 0;
  Iterator<int> it(
      std::make_unique<torch::data::detail::ValidIterator<int>>([&]() -> std::optional<int> {
        return fetched < 2 ? std::optional(fetched++) : std::nullopt;
      }));
  EXPECT_EQ(fetched, 0);
  EXPECT_EQ(*it, 0);
  ++it;
  EXPECT_EQ(*it, 1);
  EXPECT_EQ(fetched, 2);
}

}  // namespace
}  // namespace compat_data
