#include <tern/core/base/thread_pool.h>

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

#include "hang_guard.h"

namespace tern {
namespace {

/// Where the worker of a pool of two threads runs.
struct Workplace {
  const pthread_t caller = pthread_self();
  const int cpu = sched_getcpu();  // the caller's, which must not move
  std::atomic<pthread_t> worker{};
  std::atomic<bool> is_elsewhere{false};

  /// Runs a region of two short parts.
  void run() {
    detail::run_parallel(
        2,
        [](void* data, int) {
          auto& place = *static_cast<Workplace*>(data);
          const auto start = std::chrono::steady_clock::now();
          if (pthread_equal(pthread_self(), place.caller) == 0) {
            place.worker = pthread_self();
            if (sched_getcpu() != place.cpu) place.is_elsewhere = true;
          }
          while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(20)) {
          }
        },
        this);
  }
};

// A worker that waits for the caller's processor while another one is free. The system alone also
// moves it, in about 15 ms; the pool takes 1 ms and must leave the worker its set of processors.
TEST(ThreadPoolPlaces, WorkersLeaveTheProcessorOfTheCaller) {
  const testing::HangGuard guard("a worker on another processor");
  const int threads_before = get_num_threads();
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two processors";
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  set_num_threads(2);
  Workplace place;
  while (place.worker == pthread_t{}) place.run();
  for (int round = 0; round < 9; ++round) {
    ASSERT_EQ(pthread_setaffinity_np(place.worker, sizeof one, &one), 0);
    for (int i = 0; i < 10; ++i) place.run();
    ASSERT_EQ(pthread_setaffinity_np(place.worker, sizeof all, &all), 0);
    for (place.is_elsewhere = false; !place.is_elsewhere;) place.run();
  }
  cpu_set_t after;
  ASSERT_EQ(pthread_getaffinity_np(place.worker, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &all));
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  set_num_threads(threads_before);
}

}  // namespace
}  // namespace tern
