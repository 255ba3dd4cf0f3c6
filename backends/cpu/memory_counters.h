#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tern::cpu {

/// A number that one thread changes and others may read. Needs no locked instruction.
class OwnedCounter {
 public:
  std::int64_t get() const { return value_.load(std::memory_order_relaxed); }
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t delta) { set(get() + delta); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// The counts of one thread since its last report to the totals.
struct MemoryCounters {
  OwnedCounter live, peak;  // peak: maximum of live
  OwnedCounter allocations, system_requests, cached;

  void add_live(std::int64_t bytes) {
    const std::int64_t now = live.get() + bytes;
    live.set(now);
    if (now > peak.get()) peak.set(now);
  }
};

/// The totals of all threads. The peak is exact while one thread allocates; with several threads it
/// may be off by kReportBytes for each.
struct MemoryTotals {
  static constexpr std::int64_t kReportBytes = 1 << 20;

  std::atomic<std::int64_t> live{0}, peak{0}, allocations{0}, system_requests{0};

  void take(MemoryCounters& counters) {
    raise_peak(live.load() + counters.peak.get());
    live.fetch_add(counters.live.get());
    allocations.fetch_add(counters.allocations.get());
    system_requests.fetch_add(counters.system_requests.get());
    for (OwnedCounter* counter :
         {&counters.live, &counters.peak, &counters.allocations, &counters.system_requests}) {
      counter->set(0);
    }
  }

  void raise_peak(std::int64_t value) {
    std::int64_t seen = peak.load();
    while (seen < value && !peak.compare_exchange_weak(seen, value)) {
    }
  }
};

}  // namespace tern::cpu
