#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// For tests that show by the order of events, not by times, that two things go on at once: one
// waits for the other to begin, and the other ends only after the first.

namespace tern::testing {

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

inline std::ptrdiff_t place_of(const std::vector<std::string>& events, const std::string& event) {
  const auto found = std::find(events.begin(), events.end(), event);
  EXPECT_NE(found, events.end()) << event;
  return found - events.begin();
}

inline void expect_nothing_in_vain(const std::vector<std::string>& events) {
  for (const char* event : {"held in vain", "waited in vain"}) {
    EXPECT_EQ(std::count(events.begin(), events.end(), event), 0);
  }
}

}  // namespace tern::testing
