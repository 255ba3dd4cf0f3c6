#include <tern/core/base/thread_pool.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>

#include "hang_guard.h"
#include "quiet_threads.h"

namespace tern {
namespace {

/// Restores the thread count that the test program started with.
class ThreadPool : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
  testing::HangGuard guard_{"the end of a parallel region"};
};

/// Returns how often one parallel_for visited each element of [0, count).
std::vector<int> visits(std::int64_t count, std::int64_t grain) {
  std::vector<int> seen(static_cast<std::size_t>(count), 0);
  parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  return seen;
}

/// Returns how many of `parts` parts ran. Each part waits for the others, so fewer threads than
/// parts would never finish.
int parts_that_meet(int parts) {
  struct Meeting {
    const int parts;
    std::atomic<int> arrived{0};
  } meeting{parts};
  detail::run_parallel(
      parts,
      [](void* context, int) {
        auto& at = *static_cast<Meeting*>(context);
        ++at.arrived;
        while (at.arrived < at.parts) std::this_thread::yield();
      },
      &meeting);
  return meeting.arrived;
}

bool all_once(const std::vector<int>& seen) {
  return std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; });
}

TEST_F(ThreadPool, CountMustBePositive) {
  set_num_threads(3);
  EXPECT_EQ(get_num_threads(), 3);
  EXPECT_THROW(set_num_threads(0), Error);
  EXPECT_THROW(set_num_threads(-1), Error);
  EXPECT_EQ(get_num_threads(), 3);
}

TEST_F(ThreadPool, EveryElementOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    for (const std::int64_t count : {0, 1, 2, 7, 64, 1000}) {
      for (const std::int64_t grain : {0, 1, 3, 500, 2000}) {
        EXPECT_TRUE(all_once(visits(count, grain)))
            << threads << " threads, " << count << " elements, grain " << grain;
      }
    }
  }
}

TEST_F(ThreadPool, RangesRespectGrainAndCount) {
  set_num_threads(4);
  std::atomic<int> ranges{0}, smallest{1000};
  parallel_for(10, 110, 30, [&](std::int64_t begin, std::int64_t end) {
    ++ranges;
    int seen = smallest;
    while (seen > end - begin &&
           !smallest.compare_exchange_weak(seen, static_cast<int>(end - begin))) {
    }
  });
  EXPECT_EQ(ranges, 3);
  EXPECT_GE(smallest, 30);
}

TEST_F(ThreadPool, PartsRunOnSeveralThreads) {
  set_num_threads(3);
  EXPECT_EQ(parts_that_meet(3), 3);
}

TEST_F(ThreadPool, MorePartsThanThreads) {
  set_num_threads(2);
  std::atomic<int> sum{0};
  detail::run_parallel(
      100, [](void* context, int part) { *static_cast<std::atomic<int>*>(context) += part; }, &sum);
  EXPECT_EQ(sum, 4950);
}

TEST_F(ThreadPool, NestedRegionsRunInline) {
  set_num_threads(2);
  EXPECT_FALSE(in_parallel_region());
  std::atomic<int> total{0}, moved{0};
  parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
    const auto outer = std::this_thread::get_id();
    EXPECT_TRUE(in_parallel_region());
    parallel_for(0, 10, 1, [&](std::int64_t begin, std::int64_t end) {
      total += static_cast<int>(end - begin);
      if (std::this_thread::get_id() != outer) ++moved;
    });
    EXPECT_TRUE(in_parallel_region());
  });
  EXPECT_FALSE(in_parallel_region());
  EXPECT_EQ(total, 20);
  EXPECT_EQ(moved, 0);
}

TEST_F(ThreadPool, ManyCallersAtOnce) {
  set_num_threads(4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  callers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        if (!all_once(visits(64, 1))) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, CountChangesWhileOthersWork) {
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int round = 0; !stop; ++round) {
      set_num_threads(1 + round % 5);
      std::this_thread::yield();
    }
  });
  int wrong = 0;
  for (int round = 0; round < 500; ++round) wrong += all_once(visits(50, 1)) ? 0 : 1;
  stop = true;
  changer.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, WorkersThatSleptWakeUp) {
  set_num_threads(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(15 * round));
    EXPECT_TRUE(all_once(visits(30, 1)));
  }
}

// A region in which each part needs a thread of its own, started while the workers are about to
// sleep: it never ends if a worker misses the call.
TEST_F(ThreadPool, WorkersThatAreAboutToSleepWakeUp) {
  set_num_threads(3);
  for (int round = 0; round < 2000; ++round) {
    // Around the time that workers spin.
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds(80'000 + round * 20);
    while (std::chrono::steady_clock::now() < until) {
    }
    ASSERT_EQ(parts_that_meet(3), 3);
  }
}

// The caller also sleeps until the last part is done.
TEST_F(ThreadPool, CallersThatSleptWakeUp) {
  set_num_threads(2);
  for (int round = 0; round < 40; ++round) {
    std::atomic<int> done{0};
    std::pair<std::atomic<int>*, int> context{&done, 10 * round};
    detail::run_parallel(
        2,
        [](void* data, int part) {
          const auto& [count, wait] = *static_cast<std::pair<std::atomic<int>*, int>*>(data);
          // The part of the worker is late.
          if (part == 1) std::this_thread::sleep_for(std::chrono::microseconds(wait));
          ++*count;
        },
        &context);
    ASSERT_EQ(done, 2);
  }
}

TEST(HangGuard, EndsTheProgramAndSaysWhy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const testing::HangGuard guard("a bell", std::chrono::seconds(0));
        std::this_thread::sleep_for(std::chrono::minutes(1));
      },
      "HangGuard.EndsTheProgramAndSaysWhy hangs: waited 0 seconds for a bell");
  const testing::HangGuard patient("nothing");
}

#if !defined(__SANITIZE_THREAD__)  // the thread sanitizer allows no new threads after a fork
TEST_F(ThreadPool, ForkedChildHasItsOwnWorkers) {
  set_num_threads(3);
  EXPECT_TRUE(all_once(visits(30, 1)));
  testing::wait_for_quiet_threads();
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // a hang ends the test with a signal
      const bool ok = all_once(visits(30, 1)) && all_once(visits(1000, 1));
      _exit(ok ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  EXPECT_TRUE(all_once(visits(30, 1)));
}

TEST_F(ThreadPool, ForkWhileAnotherThreadUsesThePool) {
  set_num_threads(2);
  testing::wait_for_quiet_threads();
  std::atomic<bool> has_started{false}, stop{false};
  std::thread busy([&] {
    EXPECT_EQ(parts_that_meet(2), 2);
    has_started = true;
    // Allocates nothing: see wait_for_quiet_threads().
    while (!stop) parallel_for(0, 64, 1, [](std::int64_t, std::int64_t) {});
  });
  while (!has_started) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      _exit(all_once(visits(64, 1)) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  stop = true;
  busy.join();
}
#endif

/// Returns the count that a process started with NAME=value reports through its exit code.
int count_in_child(const char* name, const char* value) {
  unsetenv("TERN_NUM_THREADS");
  unsetenv("OMP_NUM_THREADS");
  if (name != nullptr) setenv(name, value, 1);
  int count = -1;
  const auto read_count = [&count](int status) {
    count = WEXITSTATUS(status);
    return WIFEXITED(status);
  };
  EXPECT_EXIT(_exit(get_num_threads()), read_count, "");
  if (name != nullptr) unsetenv(name);
  return count;
}

TEST_F(ThreadPool, DefaultComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child is a new process
  const int cores = count_in_child(nullptr, nullptr);
  EXPECT_GE(cores, 1);
  EXPECT_EQ(count_in_child("TERN_NUM_THREADS", "3"), 3);
  EXPECT_EQ(count_in_child("OMP_NUM_THREADS", "5"), 5);
  EXPECT_EQ(count_in_child("OMP_NUM_THREADS", "4,2"), 4);  // OpenMP's list for nested regions
  EXPECT_EQ(count_in_child("TERN_NUM_THREADS", ""), cores);
  for (const char* bad : {"none", "", "0", "-2", "99999999", "999999999999999999999"}) {
    EXPECT_EQ(count_in_child("OMP_NUM_THREADS", bad), cores) << bad;
  }
}

TEST(ThreadVariable, IsRefusedUnlessItIsACount) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const std::string bad : {"none", "0", "-1", "4x", "99999999", "999999999999999999999"}) {
    setenv("TERN_NUM_THREADS", bad.c_str(), 1);
    const std::string text =
        "Expected TERN_NUM_THREADS to be a number of threads from 1 to 4096, "
        "got '" +
        bad + "'\n";
    const auto print_error = [](const auto& call) {
      for (int i = 0; i < 2; ++i) {  // again at the next call
        try {
          call();
        } catch (const Error& error) {
          std::fprintf(stderr, "%s\n", error.what());
        }
      }
      _exit(0);
    };
    const auto exits = ::testing::ExitedWithCode(0);
    EXPECT_EXIT(print_error([] { get_num_threads(); }), exits, text + text);
    EXPECT_EXIT(print_error([] { zeros({2}); }), exits, text + text);
  }
  unsetenv("TERN_NUM_THREADS");
}

}  // namespace
}  // namespace tern
