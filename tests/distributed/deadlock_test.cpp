#include <chrono>
#include <random>
#include <regex>
#include <thread>

#include <gtest/gtest.h>

#include "distributed/ranks.h"

// Ranks that are threads find at once that all of them wait.

namespace tern::testing {
namespace {

using Clock = std::chrono::steady_clock;

/// Every rank gets an error of the pattern, long before the time-out.
void expect_deadlock(int size, const std::function<void(ProcessGroup&)>& program,
                     const std::string& pattern) {
  // Compiled here: libstdc++ fills a table of the locale without a lock.
  const std::regex expected("deadlock: every rank waits for another one; " + pattern);
  const auto start = Clock::now();
  distributed::run(size, [&](ProcessGroup& group) {
    const std::string text = error_of([&] { program(group); });
    EXPECT_TRUE(std::regex_match(text, expected)) << text;
  });
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

const std::string kPlace = R"( at deadlock_test\.cpp:\d+)";
const std::string kAll = R"( in the group of run\(\))";

TEST(Deadlock, OfACollectiveAndARecv) {
  TERN_NEEDS_THREADS();
  expect_deadlock(
      2,
      [](ProcessGroup& group) { group.rank() == 1 ? group.recv(ones({2}), 0) : group.barrier(); },
      "rank 0 waits in barrier" + kPlace + kAll +
          R"(; rank 1 waits in recv from rank 0 of float32 )"
          R"(\[2\])" +
          kPlace + kAll);
}

TEST(Deadlock, OfCollectivesOfTwoGroups) {
  TERN_NEEDS_THREADS();
  const std::string part = R"( in the group of ranks \[0, 1, 2\] by split)" + kPlace;
  expect_deadlock(
      3,
      [](ProcessGroup& group) {
        const ProcessGroup other = group.split(0);
        const Tensor x = ones({3});
        if (group.rank() == 1) {
          other.broadcast(x, 2);
          group.all_reduce(x);
        } else {
          group.all_reduce(x);
          other.broadcast(x, 2);
        }
      },
      R"(rank 0 waits in all_reduce\(sum\) of float32 \[3\])" + kPlace + kAll +
          R"(; rank 1 waits in broadcast from rank 2 of float32 \[3\])" + kPlace + part +
          R"(; rank 2 waits in all_reduce\(sum\) of float32 \[3\])" + kPlace + kAll);
}

TEST(Deadlock, OfRanksThatReceiveInARing) {
  TERN_NEEDS_THREADS();
  const std::string recv = R"( waits in recv from rank \d of int64 \[\])" + kPlace + kAll;
  expect_deadlock(
      4,
      [](ProcessGroup& group) {
        const Tensor x = zeros({}, kLong);
        group.recv(x, (group.rank() + 3) % 4);
        group.send(x, (group.rank() + 1) % 4);
      },
      "rank 0" + recv + "; rank 1" + recv + "; rank 2" + recv + "; rank 3" + recv);
}

TEST(Deadlock, OfCallsOnThreadsOfGroups) {
  TERN_NEEDS_THREADS();
  const std::string part = R"( in the group of ranks \[0, 1\] by split)" + kPlace;
  expect_deadlock(
      2,
      [](ProcessGroup& group) {
        const ProcessGroup other = group.split(0);
        if (group.rank() == 0) {
          distributed::Work first = group.all_reduce_async(ones({2}));
          distributed::Work second = group.all_reduce_async(ones({2}));
          second.wait();
        } else {
          distributed::Work work = other.all_reduce_async(ones({1}));
          other.barrier();
        }
      },
      R"(rank 0 waits in all_reduce\(sum\) of float32 \[2\])" + kPlace + kAll +
          R"(; rank 1 waits in all_reduce\(sum\) of float32 \[1\])" + kPlace + part);
}

TEST(Deadlock, LeavesOtherGroupsAsTheyAre) {
  TERN_NEEDS_THREADS();
  distributed::run(3, [](ProcessGroup& group) {
    const ProcessGroup other = group.split(0);
    for (int i = 0; i < 2; ++i) {
      // The group in which they waited stays unusable.
      const std::string text =
          error_of([&] { group.rank() == 1 ? group.recv(ones({2}), 0) : group.barrier(); });
      EXPECT_TRUE(text.starts_with("deadlock: every rank waits for another one; rank 0 ")) << text;
    }
    const Tensor x = ones({1});
    other.all_reduce(x);
    EXPECT_EQ(x.item<int>(), 3);
  });
}

TEST(Deadlock, WaitsForRanksThatCompute) {
  TERN_NEEDS_THREADS();
  distributed::run(3, [](ProcessGroup& group) {
    const ProcessGroup other = group.split(group.rank() == 2 ? 1 : 0);
    if (group.rank() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (group.rank() == 1) {
      const Tensor x = ones({2});
      group.recv(x, 2);
      other.barrier();
    } else {
      if (group.rank() == 2) group.send(ones({2}), 1);
      other.barrier();
    }
  });
}

TEST(Deadlock, IsNotSeenWhereThreadsOfTheProgramCall) {
  TERN_NEEDS_THREADS();
  // Rank 1's other thread comes late: nobody knows whether it will.
  distributed::run(2, [](ProcessGroup& group) {
    const ProcessGroup other = group.split(0);
    std::thread thread([&] {
      other.barrier();
      if (group.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      other.barrier();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (group.rank() == 0) group.recv(ones({1}), 1);
    thread.join();
    if (group.rank() == 1) group.send(ones({1}), 0);
  });
}

// Random calls in three groups, waited for in another order, by ranks of random speed.
TEST(Deadlock, IsNotReportedUnderLoad) {
  TERN_NEEDS_THREADS();
  constexpr int kRanks = 4;
  distributed::run(kRanks, [&](ProcessGroup& group) {
    const ProcessGroup pair = group.split(group.rank() / 2), twin = group.split(0);
    std::mt19937 same(1), own(static_cast<unsigned>(group.rank()));
    for (int step = 0; step < 400; ++step) {
      if (own() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 800));
      if (own() % 4 == 0) std::this_thread::yield();
      const Tensor a = ones({4}), b = ones({4}), c = ones({4});
      distributed::Work first = pair.all_reduce_async(a), second = group.all_reduce_async(b);
      if (same() % 2 == 0) twin.all_reduce(c, ReduceOp::kMax);
      if (same() % 3 == 0) {
        group.send(a.new_ones({2}), (group.rank() + 1) % kRanks);
        const Tensor got = zeros({2});
        group.recv(got, (group.rank() + kRanks - 1) % kRanks);
      }
      (own() % 2 == 0 ? first : second).wait();
      first.wait();
      second.wait();
      ASSERT_EQ(a[0].item<int>(), 2);
      ASSERT_EQ(b[0].item<int>(), kRanks);
    }
  });
}

}  // namespace
}  // namespace tern::testing
