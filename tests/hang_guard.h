#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace tern::testing {

/// Ends the program when its scope lasts longer than `limit`, and says what was waited for. For
/// tests of threads: one whose wake-up was lost would wait until the whole program is killed, which
/// takes minutes and tells nothing. The limit is far above what any machine needs.
class HangGuard {
 public:
  explicit HangGuard(std::string what, std::chrono::seconds limit = std::chrono::seconds(60))
      : thread_([what = std::move(what), limit](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any().wait_for(lock, stop, limit, [] { return false; });
          if (stop.stop_requested()) return;
          const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
          std::fprintf(stderr, "%s.%s hangs: waited %lld seconds for %s\n", test->test_suite_name(),
                       test->name(), static_cast<long long>(limit.count()), what.c_str());
          std::abort();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace tern::testing
