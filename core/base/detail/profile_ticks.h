#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <tern/core/base/detail/profile_recorder.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tern::detail {

/// The room of the running recording.
extern ProfileBudget profile_budget;

/// True if the system itself takes the time from the processor's counter, which then runs at the
/// same speed on all cores. Reading it takes a third of the time of a call of the clock.
extern std::atomic<bool> profile_reads_counter;

inline std::int64_t steady_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// Returns the time in units that the recording converts to nanoseconds.
inline std::int64_t profile_ticks() {
#if defined(__x86_64__)
  if (profile_reads_counter.load(std::memory_order_relaxed)) {
    return static_cast<std::int64_t>(__rdtsc());
  }
#endif
  return steady_ns();
}

}  // namespace tern::detail
