#include <tern/core/base/thread_pool.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/profile_scope.h>

namespace tern {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr int kMaxThreads = 4096;
constexpr auto kSpinTime = std::chrono::microseconds(100);
constexpr auto kPatience = std::chrono::microseconds(5);
// A worker that has missed its turns for this time is moved, again after the pause at the earliest.
constexpr auto kLate = std::chrono::microseconds(100);
constexpr auto kPause = std::chrono::milliseconds(1);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Lets threads wait for a condition on sequentially consistent atomics. A thread spins first,
/// because regions follow each other closely, and then sleeps. notify() costs one load if no thread
/// sleeps.
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
      // The awaited thread may need this very processor.
      if (now - start > kPatience) sched_yield();
      now = std::chrono::steady_clock::now();
    } while (now - start < kSpinTime);
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    wake_.wait(lock, condition);
    sleepers_.fetch_sub(1);
  }

  /// Must be called after the change that makes the condition true. Then either the sleeper sees
  /// the change, or notify() sees the sleeper.
  void notify() {
    if (sleepers_.load() == 0) return;
    { const std::lock_guard lock(mutex_); }  // every counted sleeper waits on wake_ now
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

/// Worker threads for one thread count. Only one thread at a time may call run().
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what threads write has its own lines
class Pool {
 public:
  explicit Pool(int threads) : threads_(threads), turns_(static_cast<std::size_t>(threads)) {
    try {
      workers_.reserve(static_cast<std::size_t>(threads - 1));
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::exception&) {
      // The system refuses more threads: the existing threads do all turns.
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
    profiled_ = detail::is_profiled() ? detail::open_event_name() : nullptr;
    unfinished_.store(turns, std::memory_order_relaxed);
    const Region region = region_.load(std::memory_order_relaxed) / kTurns + 1;
    region_.store(region * kTurns + static_cast<Region>(turns));
    start_.notify();
    in_region = true;
    const int late = take_turns(0, region_.load(std::memory_order_relaxed));
    in_region = false;
    done_.wait([this] { return unfinished_.load() == 0; });
    if (late != 0) part_from(late);
    is_late_ = late != 0;
  }

 private:
  // The number of a region (high bits) and its number of turns (low bits). Turn i of n does the
  // parts i, i + n, i + 2n, ...
  using Region = std::uint64_t;
  static constexpr Region kTurns = 1 << 16;
  struct alignas(kCacheLine) Turn {
    std::atomic<Region> taken{0};  // the last region in which a thread took this turn
  };

  void begin_event(detail::ProfileScope& scope) const {
    scope.begin_named(detail::ProfileKind::kPart, profiled_, std::strlen(profiled_));
  }

  void work(int index) {
    in_region = true;
    detail::name_thread("tern pool", index);
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

  /// Thread i starts with turn i, whose memory its core has accessed before, and then takes the
  /// turns that other threads have not started. A thread that comes after its region has ended
  /// finds all turns taken. Returns the last turn of another thread that it took, 0 without one.
  int take_turns(int index, Region region) {
    int of_other = 0;
    const int turns = static_cast<int>(region % kTurns);
    for (int i = 0; i < turns; ++i) {
      const int turn = (index + i) % turns;
      std::atomic<Region>& taken = turns_[static_cast<std::size_t>(turn)].taken;
      Region before = taken.load();
      if (before >= region || !taken.compare_exchange_strong(before, region)) continue;
      detail::set_denormal_mode(denormal_mode_);
      detail::ProfileScope profile;
      if (index != 0 && profiled_ != nullptr) [[unlikely]]
        begin_event(profile);
      for (int part = turn; part < parts_; part += turns) body_(context_, part);
      profile.end();  // the caller may change the name once all turns are done
      if (unfinished_.fetch_sub(1) == 1) done_.notify();
      if (i != 0) of_other = turn;
    }
    return of_other;
  }

  /// The caller has taken the turn of this worker. If it keeps doing so, the worker may wait for
  /// the caller's processor: on a busy machine the system wakes it up where it last ran, and needs
  /// milliseconds to find out that another processor is free. So moves the worker.
  void part_from(int worker) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_late_) late_since_ = now;
    if (now - late_since_ < kLate || static_cast<std::size_t>(worker) > workers_.size()) return;
    late_since_ = now + kPause - kLate;
    const pthread_t thread = workers_[static_cast<std::size_t>(worker) - 1].native_handle();
    cpu_set_t allowed;
    if (pthread_getaffinity_np(thread, sizeof allowed, &allowed) != 0) return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(sched_getcpu()), &others);
    if (pthread_setaffinity_np(thread, sizeof others, &others) != 0) return;  // none is left
    pthread_setaffinity_np(thread, sizeof allowed, &allowed);
  }

  const int threads_;
  Gate start_, done_;
  std::atomic<bool> stop_{false};
  // All data that a worker needs to start shares one cache line. Only a thread that has taken a
  // turn reads the last five members.
  alignas(kCacheLine) std::atomic<Region> region_{0};
  void (*body_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
  unsigned denormal_mode_ = 0;
  const char* profiled_ = nullptr;  // the name of the caller's event; null without a profile
  alignas(kCacheLine) std::atomic<int> unfinished_{0};
  bool is_late_ = false;
  std::chrono::steady_clock::time_point late_since_;
  std::vector<Turn> turns_;
  std::vector<std::thread> workers_;
};

std::atomic<int> thread_count{0};  // 0: not determined yet

// The thread that set pool_taken owns the pool. The pool is never destroyed at exit: its workers
// sleep or spin until the process ends.
std::atomic<bool> pool_taken{false};
Pool* pool = nullptr;

// A forked child has none of the parent's workers and abandons their pool.
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, [] {
  pool = nullptr;
  pool_taken.store(false);
});

// Returns the pool with `threads` threads; null if memory is exhausted.
Pool* pool_with(int threads) {
  if (pool == nullptr || pool->threads() != threads) {
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

// This variable belongs to tern alone, so a malformed value is a mistake, not another format.
int own_variable() {
  const char* text = std::getenv("TERN_NUM_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  char* end = nullptr;
  errno = 0;
  const long number = std::strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || number < 1 || number > kMaxThreads) {
    // No error_text() here: the op that happens to run first is not to blame.
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
