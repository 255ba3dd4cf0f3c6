#include <tern/core/base/thread_pool.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/flush_denormal.h>

namespace tern {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr int kMaxThreads = 4096;
constexpr auto kSpinTime = std::chrono::microseconds(100);
constexpr auto kPatience = std::chrono::microseconds(5);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Lets threads wait for a condition over sequentially consistent atomics: they spin, because
/// regions follow each other closely, then sleep. notify() costs one load while nobody sleeps.
class Gate {
 public:
  template <class Condition>
  void wait(const Condition& condition) {
    const auto start = std::chrono::steady_clock::now();
    auto now = start;
    do {
      for (int i = 0; i < 32; ++i) {
        if (condition()) return;
        relax();
      }
      // Perhaps the one who is waited for would run on this very processor.
      if (now - start > kPatience) sched_yield();
      now = std::chrono::steady_clock::now();
    } while (now - start < kSpinTime);
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    wake_.wait(lock, condition);
    sleepers_.fetch_sub(1);
  }

  /// Call after the change that makes the condition true: either the sleeper sees the change or
  /// this sees the sleeper.
  void notify() {
    if (sleepers_.load() == 0) return;
    { const std::lock_guard lock(mutex_); }  // whoever counts as a sleeper sleeps now
    wake_.notify_all();
  }

 private:
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
};

thread_local bool in_region = false;

void run_inline(int parts, void (*body)(void*, int), void* context) {
  const bool outer = in_region;
  in_region = true;
  for (int part = 0; part < parts; ++part) body(context, part);
  in_region = outer;
}

/// Workers for one thread count. One thread at a time calls run().
class Pool {
 public:
  explicit Pool(int threads) : threads_(threads), turns_(static_cast<std::size_t>(threads)) {
    try {
      workers_.reserve(static_cast<std::size_t>(threads - 1));
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::exception&) {
      // The system gives no more threads: those that run do all turns.
    }
  }

  ~Pool() {
    stop_.store(true);
    start_.notify();
    for (std::thread& worker : workers_) worker.join();
  }

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return threads_; }

  void run(int parts, void (*body)(void*, int), void* context) {
    const int turns = std::min(parts, threads_);
    body_ = body;
    context_ = context;
    parts_ = parts;
    denormal_mode_ = detail::denormal_mode();
    unfinished_.store(turns, std::memory_order_relaxed);
    const Region region = region_.load(std::memory_order_relaxed) / kTurns + 1;
    region_.store(region * kTurns + static_cast<Region>(turns));
    start_.notify();
    in_region = true;
    take_turns(0, region_.load(std::memory_order_relaxed));
    in_region = false;
    done_.wait([this] { return unfinished_.load() == 0; });
  }

 private:
  // The number of a region, and in the lower bits how many turns it has. Turn i of n does the
  // parts i, i + n, i + 2n, ...
  using Region = std::uint64_t;
  static constexpr Region kTurns = 1 << 16;
  struct alignas(kCacheLine) Turn {
    std::atomic<Region> taken{0};  // the last region in which somebody took it
  };

  void work(int index) {
    in_region = true;
    Region last = 0;
    while (true) {
      Region region = last;
      start_.wait([&] {
        region = region_.load();
        return region != last || stop_.load();
      });
      if (region == last) return;
      last = region;
      take_turns(index, region);
    }
  }

  /// Thread i starts with turn i, whose memory its core has seen before, and then takes those that
  /// other threads are late for. Whoever comes for a region that has ended finds all taken.
  void take_turns(int index, Region region) {
    const int turns = static_cast<int>(region % kTurns);
    for (int i = 0; i < turns; ++i) {
      const int turn = (index + i) % turns;
      std::atomic<Region>& taken = turns_[static_cast<std::size_t>(turn)].taken;
      Region before = taken.load();
      if (before >= region || !taken.compare_exchange_strong(before, region)) continue;
      detail::set_denormal_mode(denormal_mode_);
      for (int part = turn; part < parts_; part += turns) body_(context_, part);
      if (unfinished_.fetch_sub(1) == 1) done_.notify();
    }
  }

  const int threads_;
  Gate start_, done_;
  std::atomic<bool> stop_{false};
  // What a worker needs to start lies in one cache line. Nobody reads the last four without a
  // turn.
  alignas(kCacheLine) std::atomic<Region> region_{0};
  void (*body_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
  unsigned denormal_mode_ = 0;
  alignas(kCacheLine) std::atomic<int> unfinished_{0};
  std::vector<Turn> turns_;
  std::vector<std::thread> workers_;
};

std::atomic<int> thread_count{0};  // 0: not asked for yet

// The pool belongs to whoever set the flag. It is never destroyed at exit: its workers sleep or
// spin until the process is gone.
std::atomic<bool> pool_taken{false};
Pool* pool = nullptr;

// Called in a forked child, where the parent's workers do not exist: their pool is left alone.
void forget_pool() {
  pool = nullptr;
  pool_taken.store(false);
}

// Null when there is no memory for it.
Pool* pool_with(int threads) {
  if (pool == nullptr || pool->threads() != threads) {
    [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, forget_pool);
    delete pool;
    pool = nullptr;
    try {
      pool = new Pool(threads);
    } catch (const std::bad_alloc&) {
    }
  }
  return pool;
}

int positive_number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return 0;
  const long number = std::strtol(text, nullptr, 10);
  return number >= 1 && number <= kMaxThreads ? static_cast<int>(number) : 0;
}

// The variable is tern's own, so that a value that is no count is a mistake, not another's format.
int own_variable() {
  const char* text = std::getenv("TERN_NUM_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  char* end = nullptr;
  errno = 0;
  const long number = std::strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || number < 1 || number > kMaxThreads) {
    // Thrown as it is: the op that happens to be the first is not to blame.
    throw Error(detail::text_of("Expected TERN_NUM_THREADS to be a number of threads from 1 to ",
                                kMaxThreads, ", got '", text, "'"));
  }
  return static_cast<int>(number);
}

int default_num_threads() {
  if (const int count = own_variable()) return count;
  if (const int count = positive_number("OMP_NUM_THREADS")) return count;
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

void set_num_threads(int count) {
  TERN_CHECK(count >= 1, Error, "Expected positive number of threads, got ", count);
  thread_count.store(std::min(count, kMaxThreads), std::memory_order_relaxed);
}

int get_num_threads() {
  int count = thread_count.load(std::memory_order_relaxed);
  if (count == 0) {
    int unset = 0;
    count = default_num_threads();
    if (!thread_count.compare_exchange_strong(unset, count)) count = unset;
  }
  return count;
}

bool in_parallel_region() { return in_region; }

namespace detail {

void run_parallel(int parts, void (*body)(void* context, int part), void* context) {
  const int threads = get_num_threads();
  if (parts <= 1 || threads <= 1 || in_region || pool_taken.exchange(true)) {
    run_inline(parts, body, context);
    return;
  }
  if (Pool* const own = pool_with(threads)) {
    own->run(parts, body, context);
  } else {
    run_inline(parts, body, context);
  }
  pool_taken.store(false);
}

}  // namespace detail
}  // namespace tern
