#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/thread_pool.h>

namespace tern {
namespace {

float half_of_smallest() {
  volatile float smallest = 1.17549435e-38f;
  return smallest * 0.5f;
}

float double_of_denormal() {
  volatile float denormal = 5e-39f;
  return denormal * 2.0f;
}

class FlushDenormal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!set_flush_denormal(false)) GTEST_SKIP() << "this processor cannot flush denormals to zero";
  }
  void TearDown() override {
    set_flush_denormal(false);
    set_num_threads(threads_);
  }

 private:
  int threads_ = get_num_threads();
};

TEST_F(FlushDenormal, ResultsAndOperandsBecomeZero) {
  EXPECT_GT(half_of_smallest(), 0);
  EXPECT_GT(double_of_denormal(), 0);
  EXPECT_TRUE(set_flush_denormal(true));
  EXPECT_EQ(half_of_smallest(), 0);
  EXPECT_EQ(double_of_denormal(), 0);
  EXPECT_TRUE(set_flush_denormal(false));
  EXPECT_GT(half_of_smallest(), 0);
}

TEST_F(FlushDenormal, OtherThreadsKeepTheirMode) {
  set_flush_denormal(true);
  bool is_zero = true;  // compared on the other thread: this one treats denormals as zero
  std::thread([&] {
    set_flush_denormal(false);
    is_zero = half_of_smallest() == 0;
  }).join();
  EXPECT_FALSE(is_zero);
  EXPECT_EQ(half_of_smallest(), 0);
}

TEST_F(FlushDenormal, WorkersFollowWhoeverStartsTheRegion) {
  set_num_threads(2);
  for (const bool flushes : {true, false, true}) {
    set_flush_denormal(flushes);
    std::atomic<int> started = 0;
    std::array<std::thread::id, 2> threads;
    std::array<float, 2> results{};
    parallel_for(0, 2, 1, [&](std::int64_t begin, std::int64_t) {
      // Waits for the other part, so that each thread does one.
      for (++started; started < 2;) std::this_thread::yield();
      const auto part = static_cast<std::size_t>(begin);
      threads[part] = std::this_thread::get_id();
      results[part] = half_of_smallest() + double_of_denormal();
    });
    set_flush_denormal(false);  // else a denormal equals 0
    EXPECT_NE(threads[0], threads[1]);
    for (const float result : results) EXPECT_EQ(result == 0, flushes);
  }
}

}  // namespace
}  // namespace tern
