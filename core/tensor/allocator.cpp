#include <tern/core/tensor/detail/allocator.h>

#include <atomic>

#include <tern/core/base/error.h>

namespace tern {
namespace {

// Allocations left until the fault; 0 when no fault is armed.
constinit std::atomic<std::int64_t> countdown{0};
constinit std::atomic<bool> fails_onwards{false};

[[gnu::cold, gnu::noinline]] void count_down(std::size_t bytes, Device device) {
  std::int64_t left = countdown.load();
  do {
    if (left == 0) return;
  } while (!countdown.compare_exchange_weak(left, left == 1 && fails_onwards ? 1 : left - 1));
  TERN_CHECK(left != 1, OutOfMemoryError, device, ": out of memory: tried to allocate ", bytes,
             " bytes (fault injected by testing::fail_allocation)");
}

}  // namespace

namespace testing {

void fail_allocation(std::int64_t n, bool onwards) {
  TERN_CHECK(n >= 0, Error, "fail_allocation: n must not be negative, got ", n);
  fails_onwards = onwards;
  countdown = n;
}

}  // namespace testing

namespace detail {

void allocation_point(std::size_t bytes, Device device) {
  if (countdown.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    count_down(bytes, device);
  }
}

}  // namespace detail
}  // namespace tern
