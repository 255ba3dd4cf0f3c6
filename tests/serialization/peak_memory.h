#pragma once

#include <malloc.h>

#include <gtest/gtest.h>
#include <fstream>
#include <string>

#include "sanitizer.h"

namespace tern {

/// A figure of /proc/self/status in bytes; 0 where the system does not have it.
inline long status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == name + ":" && status >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

/// The most memory that the process has had, in bytes; 0 where the system cannot say.
inline long peak_bytes() { return status_bytes("VmHWM"); }

/// The pages of mapped files that the process has touched, in bytes; 0 where the system cannot say.
inline long file_bytes() { return status_bytes("RssFile") + status_bytes("RssShmem"); }

/// Lets the peak start from what is in use now, and returns it. From then on, the system gets each
/// large block back when it is freed, whatever earlier tests freed: the peak is that of live
/// blocks.
inline long reset_peak() {
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::malloc_trim(0);  // what was freed and kept would be used again unseen
  std::ofstream("/proc/self/clear_refs") << 5;
  return peak_bytes();
}

}  // namespace tern

/// For the head of a test that measures: skips it where nothing can be measured.
#define TERN_NEEDS_PEAK_MEMORY()                                                             \
  if (tern::testing::has_sanitizer())                                                        \
    GTEST_SKIP() << "the peak would include the memory that sanitizers keep for themselves"; \
  if (tern::peak_bytes() == 0)                                                               \
  GTEST_SKIP() << "needs the peak memory (VmHWM) of /proc/self/status, which this system lacks"
