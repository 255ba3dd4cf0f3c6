#include <tern/backends/cpu/allocator.h>

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include <tern/backends/cpu/memory_counters.h>
#include <tern/backends/cpu/size_class.h>
#include <tern/core/base/error.h>
#include <tern/core/base/profile_scope.h>

namespace tern::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRecycles = false;
#elif defined(__has_feature)
constexpr bool kRecycles = !__has_feature(address_sanitizer);
#else
constexpr bool kRecycles = true;
#endif

constexpr std::size_t kThreadBytesPerClass = std::size_t{256} << 10;
constexpr std::size_t kBatchBytes = std::size_t{32} << 10;  // moved at once to or from Shared
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::int64_t kSharedSlack = std::int64_t{64} << 20;

/// A free block. The link to the next block lies in the block itself.
struct Block {
  Block* next;
};

struct List {
  Block* head = nullptr;
  std::size_t count = 0;
  std::uint64_t used = 0;  // when the shared list was last used, by Shared::clock

  void push(void* memory) {
    head = new (memory) Block{head};
    ++count;
  }
  void* pop() {
    Block* const block = head;
    head = block->next;
    --count;
    return block;
  }
};

struct ThreadCache {
  List lists[kSmallClasses];
  MemoryCounters counters;
  ThreadCache* next = nullptr;
  ThreadCache** link = nullptr;  // the pointer that refers to this cache
};

/// The data that threads share. Never destroyed, because blocks are freed until the very end of the
/// process.
struct Shared {
  std::mutex mutex;
  List lists[kClasses];
  std::int64_t cached = 0;
  std::uint64_t clock = 0;
  ThreadCache* threads = nullptr;
  MemoryTotals totals;
};
constinit Shared shared;

// In a forked child, no other thread is left to unlock the mutex.
[[maybe_unused]] const int fork_handlers = pthread_atfork(
    [] { shared.mutex.lock(); }, [] { shared.mutex.unlock(); }, [] { shared.mutex.unlock(); });

/// True for blocks that are mapped one by one: malloc keeps freed memory of blocks below 32 MB.
constexpr bool is_mapped(std::size_t size) { return kRecycles && size >= 2 * kHugePage; }

/// Maps memory that begins at a huge page.
void* map_memory(std::size_t size) {
  const std::size_t reserved = size + kHugePage;
  void* const start =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(start);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  if (before > 0) munmap(first, before);
  munmap(first + before + size, reserved - before - size);
  // Only advice: it fails where the kernel has no huge pages.
  madvise(first + before, size, MADV_HUGEPAGE);
  return first + before;
}

void* ask_system(std::size_t size) {
  if (is_mapped(size)) return map_memory(size);
  void* memory = nullptr;
  return posix_memalign(&memory, kAlignment, size) == 0 ? memory : nullptr;
}

/// Gives a block back to the system. `size` is that of its class.
void return_to_system(void* memory, std::size_t size) noexcept {
  if (is_mapped(size)) {
    munmap(memory, size);
  } else {
    std::free(memory);
  }
}

/// Gives the blocks of an ending thread to the other threads.
void retire(ThreadCache* cache) {
  {
    const std::lock_guard lock(shared.mutex);
    for (int c = 0; c < kSmallClasses; ++c) {
      List& list = cache->lists[c];
      while (list.head != nullptr) shared.lists[c].push(list.pop());
    }
    shared.cached += cache->counters.cached.get();
    shared.totals.take(cache->counters);
    *cache->link = cache->next;
    if (cache->next != nullptr) cache->next->link = cache->link;
  }
  delete cache;
}

constinit thread_local ThreadCache* thread_cache = nullptr;
constinit thread_local bool thread_ended = false;

struct Retirement {
  ~Retirement() {
    thread_ended = true;
    if (thread_cache != nullptr) retire(std::exchange(thread_cache, nullptr));
  }
};

/// Returns null if the thread is ending; then the shared lists serve it.
[[gnu::cold, gnu::noinline]] ThreadCache* make_thread_cache() {
  if (thread_ended) return nullptr;
  static thread_local const Retirement retirement;
  static_cast<void>(&retirement);
  auto* const cache = new (std::nothrow) ThreadCache;
  if (cache == nullptr) return nullptr;
  const std::lock_guard lock(shared.mutex);
  cache->next = shared.threads;
  cache->link = &shared.threads;
  if (cache->next != nullptr) cache->next->link = &cache->next;
  shared.threads = cache;
  return thread_cache = cache;
}

ThreadCache* current_cache() {
  ThreadCache* const cache = thread_cache;
  return cache != nullptr ? cache : make_thread_cache();
}

class CpuAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, DeviceIndex) override {
    detail::allocation_point(bytes, kCPU);
    if (bytes > kMaxAllocation) out_of_memory(bytes);
    const SizeClass c = size_class(bytes);
    ThreadCache* const cache = current_cache();
    void* memory = nullptr;
    if (cache != nullptr && c.index < kSmallClasses && cache->lists[c.index].head != nullptr) {
      memory = cache->lists[c.index].pop();
      cache->counters.cached.add(-static_cast<std::int64_t>(c.size));
    } else {
      memory = refill(cache, c, bytes);
    }
    count(cache, static_cast<std::int64_t>(bytes), 1);
    profile(static_cast<std::int64_t>(bytes));
    return memory;
  }

  void deallocate(void* pointer, std::size_t bytes, DeviceIndex) noexcept override {
    const SizeClass c = size_class(bytes);
    ThreadCache* const cache = current_cache();
    count(cache, -static_cast<std::int64_t>(bytes), 0);
    profile(-static_cast<std::int64_t>(bytes));
    if (!kRecycles) {
      std::free(pointer);
    } else if (cache != nullptr && c.index < kSmallClasses) {
      List& list = cache->lists[c.index];
      list.push(pointer);
      cache->counters.cached.add(static_cast<std::int64_t>(c.size));
      if (list.count * c.size > kThreadBytesPerClass) share(*cache, c);
    } else {
      put_shared(pointer, c);
    }
  }

  void empty_cache() override {
    if (ThreadCache* const cache = thread_cache) {
      for (List& list : cache->lists) {
        while (list.head != nullptr) std::free(list.pop());
      }
      cache->counters.cached.set(0);
    }
    const std::lock_guard lock(shared.mutex);
    for (int c = 0; c < kClasses; ++c) {
      List& list = shared.lists[c];
      while (list.head != nullptr) return_to_system(list.pop(), class_bytes(c));
    }
    shared.cached = 0;
  }

  MemoryStats stats(DeviceIndex) const override {
    const std::lock_guard lock(shared.mutex);
    const MemoryTotals& totals = shared.totals;
    MemoryStats stats;
    stats.live_bytes = totals.live.load();
    stats.peak_bytes = stats.live_bytes;
    stats.allocations = totals.allocations.load();
    stats.system_requests = totals.system_requests.load();
    stats.cached_bytes = shared.cached;
    for (const ThreadCache* cache = shared.threads; cache != nullptr; cache = cache->next) {
      const MemoryCounters& counters = cache->counters;
      stats.live_bytes += counters.live.get();
      stats.peak_bytes += counters.peak.get();
      stats.allocations += counters.allocations.get();
      stats.system_requests += counters.system_requests.get();
      stats.cached_bytes += counters.cached.get();
    }
    stats.peak_bytes = std::max(stats.peak_bytes, totals.peak.load());
    return stats;
  }

  void reset_peak(DeviceIndex) override {
    const std::lock_guard lock(shared.mutex);
    std::int64_t live = shared.totals.live.load();
    for (ThreadCache* cache = shared.threads; cache != nullptr; cache = cache->next) {
      cache->counters.peak.set(cache->counters.live.get());
      live += cache->counters.live.get();
    }
    shared.totals.peak.store(live);
  }

 private:
  static void profile(std::int64_t bytes) {
    if (detail::is_profiled(detail::kProfileMemory)) [[unlikely]] {
      detail::record_memory(bytes, static_cast<std::int8_t>(kCPU), -1);
    }
  }

  static void count(ThreadCache* cache, std::int64_t bytes, std::int64_t allocations) {
    MemoryTotals& totals = shared.totals;
    if (cache == nullptr) {
      totals.raise_peak(totals.live.fetch_add(bytes) + bytes);
      totals.allocations.fetch_add(allocations);
      return;
    }
    cache->counters.add_live(bytes);
    cache->counters.allocations.add(allocations);
    if (std::abs(cache->counters.live.get()) > MemoryTotals::kReportBytes) [[unlikely]] {
      totals.take(cache->counters);
    }
  }

  /// Takes a block from the shared lists (several at once if they are small) or from the system.
  [[gnu::noinline]] void* refill(ThreadCache* cache, const SizeClass& c, std::size_t bytes) {
    {
      const std::lock_guard lock(shared.mutex);
      List& list = shared.lists[c.index];
      list.used = ++shared.clock;
      if (list.head != nullptr) {
        void* const memory = list.pop();
        std::size_t moved = c.size;
        if (cache != nullptr && c.index < kSmallClasses) {
          for (; list.head != nullptr && moved + c.size <= kBatchBytes; moved += c.size) {
            cache->lists[c.index].push(list.pop());
          }
          cache->counters.cached.add(static_cast<std::int64_t>(moved - c.size));
        }
        shared.cached -= static_cast<std::int64_t>(moved);
        return memory;
      }
    }
    if (cache != nullptr) {
      cache->counters.system_requests.add(1);
    } else {
      shared.totals.system_requests.fetch_add(1);
    }
    // The address sanitizer must see the first byte after a tensor.
    const std::size_t size = kRecycles ? c.size : bytes;
    if (is_mapped(size)) make_room(static_cast<std::int64_t>(size));
    void* memory = ask_system(size);
    if (memory == nullptr) {
      empty_cache();
      memory = ask_system(size);
    }
    if (memory == nullptr) out_of_memory(bytes);
    return memory;
  }

  /// Moves half of a thread's list to the shared list.
  [[gnu::noinline]] static void share(ThreadCache& cache, const SizeClass& c) {
    List& list = cache.lists[c.index];
    const std::size_t moved = list.count / 2;
    const std::lock_guard lock(shared.mutex);
    for (std::size_t i = 0; i < moved; ++i) shared.lists[c.index].push(list.pop());
    const auto bytes = static_cast<std::int64_t>(moved * c.size);
    cache.counters.cached.add(-bytes);
    shared.cached += bytes;
  }

  /// Cached memory in the shared lists stays below the peak of live memory plus kSharedSlack:
  /// blocks of the sizes that were not used for the longest time go back to the system.
  static void put_shared(void* pointer, const SizeClass& c) {
    const std::lock_guard lock(shared.mutex);
    shared.lists[c.index].push(pointer);
    shared.lists[c.index].used = ++shared.clock;
    shared.cached += static_cast<std::int64_t>(c.size);
    const std::int64_t most = shared.totals.peak.load() + kSharedSlack;
    while (shared.cached > most && shrink(most)) {
    }
  }

  /// Returns blocks of the size that was not used for the longest time to the system, until `most`
  /// bytes are cached or none of them is left. Returns false if nothing is cached.
  [[gnu::cold, gnu::noinline]] static bool shrink(std::int64_t most) {
    int oldest = -1;
    for (int c = 0; c < kClasses; ++c) {
      const List& list = shared.lists[c];
      if (list.head == nullptr) continue;
      if (oldest < 0 || list.used < shared.lists[oldest].used) oldest = c;
    }
    if (oldest < 0) return false;
    List& list = shared.lists[oldest];
    while (list.head != nullptr && shared.cached > most) {
      return_to_system(list.pop(), class_bytes(oldest));
      shared.cached -= static_cast<std::int64_t>(class_bytes(oldest));
    }
    return true;
  }

  /// Returns free blocks of other sizes to the system, the largest first, if with `size` more bytes
  /// live and free memory together would exceed the peak of live memory by an eighth and
  /// kSharedSlack. A training step needs blocks of many sizes, but not all at a time.
  [[gnu::cold, gnu::noinline]] static void make_room(std::int64_t size) {
    const std::lock_guard lock(shared.mutex);
    const std::int64_t peak = shared.totals.peak.load();
    std::int64_t excess =
        shared.totals.live.load() + shared.cached + size - (peak + peak / 8 + kSharedSlack);
    for (int c = kClasses - 1; excess > 0 && is_mapped(class_bytes(c)); --c) {
      const auto freed = static_cast<std::int64_t>(class_bytes(c));
      for (List& list = shared.lists[c]; excess > 0 && list.head != nullptr; excess -= freed) {
        return_to_system(list.pop(), class_bytes(c));
        shared.cached -= freed;
      }
    }
  }

  [[noreturn, gnu::cold, gnu::noinline]] void out_of_memory(std::size_t bytes) const {
    const MemoryStats now = stats(0);
    tern::detail::raise<OutOfMemoryError>("cpu: out of memory: tried to allocate ", bytes,
                                          " bytes (in use: ", now.live_bytes,
                                          " bytes, cached: ", now.cached_bytes, " bytes)");
  }
};

}  // namespace

Allocator& allocator() {
  static CpuAllocator* const instance = new CpuAllocator;
  return *instance;
}

}  // namespace tern::cpu
