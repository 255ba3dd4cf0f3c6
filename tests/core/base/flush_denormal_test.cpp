#include <thread>
#include <vector>

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
  set_num_threads(4);
  std::vector<float> results(64);
  const auto run = [&] {
    parallel_for(0, 64, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) {
        results[static_cast<std::size_t>(i)] = half_of_smallest() + double_of_denormal();
      }
    });
  };
  for (const bool flushes : {true, false, true}) {
    set_flush_denormal(flushes);
    for (int round = 0; round < 20; ++round) {
      run();
      for (const float result : results) EXPECT_EQ(result == 0, flushes);
    }
  }
}

}  // namespace
}  // namespace tern
