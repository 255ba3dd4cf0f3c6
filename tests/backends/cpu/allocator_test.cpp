#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cpu/size_class.h>
#include <tern/core/base/error.h>
#include <tern/core/tensor/detail/allocator.h>

#include "sanitizer.h"

// The recycling allocator of the CPU.

namespace tern {
namespace {

Allocator& memory() { return tern::detail::allocator_of(kCPU); }

class CpuAllocator : public ::testing::Test {
 protected:
  void SetUp() override { memory().reset_peak(0); }
  void TearDown() override { EXPECT_EQ(memory().stats(0).live_bytes, live_before_); }

  std::int64_t live() const { return memory().stats(0).live_bytes - live_before_; }
  std::int64_t peak() const { return memory().stats(0).peak_bytes - live_before_; }

 private:
  std::int64_t live_before_ = memory().stats(0).live_bytes;
};

TEST_F(CpuAllocator, AlignedAndWritable) {
  for (std::size_t bytes : {1, 63, 64, 65, 512, 513, 4096, 65536, 65537, 1 << 20, 9 << 20}) {
    void* const p = memory().allocate(bytes, 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0U);
    std::memset(p, 1, bytes);
    memory().deallocate(p, bytes, 0);
  }
}

TEST_F(CpuAllocator, Counts) {
  const std::int64_t before = memory().stats(0).allocations;
  void* const a = memory().allocate(1000, 0);
  void* const b = memory().allocate(3 << 20, 0);
  EXPECT_EQ(live(), 1000 + (3 << 20));
  memory().deallocate(b, 3 << 20, 0);
  EXPECT_EQ(live(), 1000);
  EXPECT_EQ(peak(), 1000 + (3 << 20));
  memory().reset_peak(0);
  EXPECT_EQ(peak(), 1000);
  memory().deallocate(a, 1000, 0);
  EXPECT_EQ(memory().stats(0).allocations - before, 2);
}

TEST_F(CpuAllocator, ReusesBlocks) {
  if (tern::testing::has_sanitizer())
    GTEST_SKIP() << "sanitizers switch off the reuse of freed memory, which this test looks at";
  for (std::size_t bytes : {100, 5000, 200'000, 20 << 20}) {
    memory().deallocate(memory().allocate(bytes, 0), bytes, 0);
    const std::int64_t requests = memory().stats(0).system_requests;
    for (int i = 0; i < 100; ++i) {
      memory().deallocate(memory().allocate(bytes - static_cast<std::size_t>(i % 3), 0),
                          bytes - static_cast<std::size_t>(i % 3), 0);
    }
    EXPECT_EQ(memory().stats(0).system_requests, requests) << bytes;
  }
}

TEST_F(CpuAllocator, EmptyCache) {
  memory().deallocate(memory().allocate(100, 0), 100, 0);
  memory().deallocate(memory().allocate(1 << 20, 0), 1 << 20, 0);
  EXPECT_GT(memory().stats(0).cached_bytes, tern::testing::has_sanitizer() ? -1 : 1 << 20);
  memory().empty_cache();
  EXPECT_EQ(memory().stats(0).cached_bytes, 0);
}

TEST_F(CpuAllocator, ReturnsFreeBlocksOfOtherSizes) {
  if (tern::testing::has_sanitizer())
    GTEST_SKIP() << "sanitizers switch off the reuse of freed memory, which this test looks at";
  memory().empty_cache();
  // Three blocks of each size are live at a time: at most 240 MB.
  constexpr std::int64_t kMost = 240 << 20;
  for (const std::size_t bytes : {64 << 20, 80 << 20, 56 << 20, 72 << 20, 5 << 20}) {
    void* blocks[3];
    for (void*& block : blocks) {
      block = memory().allocate(bytes, 0);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (2 << 20), 0U);
      static_cast<char*>(block)[0] = static_cast<char*>(block)[bytes - 1] = 1;
      const MemoryStats stats = memory().stats(0);
      EXPECT_LE(stats.live_bytes + stats.cached_bytes, kMost + kMost / 8 + (64 << 20)) << bytes;
    }
    for (void* block : blocks) memory().deallocate(block, bytes, 0);
  }
  memory().empty_cache();
  EXPECT_EQ(memory().stats(0).cached_bytes, 0);
}

TEST_F(CpuAllocator, KeepsBlocksOfTheSizesInUse) {
  if (tern::testing::has_sanitizer())
    GTEST_SKIP() << "sanitizers switch off the reuse of freed memory, which this test looks at";
  memory().empty_cache();
  memory().reset_peak(0);
  // Fills the cache with blocks that are not used again.
  const auto use = [](int count, std::size_t bytes) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(memory().allocate(bytes, 0));
    for (void* block : blocks) memory().deallocate(block, bytes, 0);
  };
  use(30, 3584 << 10);
  use(30, 2560 << 10);
  use(3, 3072 << 10);
  const std::int64_t requests = memory().stats(0).system_requests;
  for (int i = 0; i < 10; ++i) use(3, 3072 << 10);
  EXPECT_EQ(memory().stats(0).system_requests, requests);
  EXPECT_LE(memory().stats(0).cached_bytes, (30 * (3584 << 10)) + (65 << 20));
  memory().empty_cache();
}

TEST_F(CpuAllocator, KnowsTheSizesOfItsClasses) {
  int last = -1;
  for (std::size_t bytes = 1; bytes < cpu::kMaxAllocation; bytes += bytes / 3 + 1) {
    const cpu::SizeClass c = cpu::size_class(bytes);
    EXPECT_EQ(cpu::class_bytes(c.index), c.size) << bytes;
    EXPECT_GE(c.size, bytes);
    EXPECT_GE(c.index, last);
    last = c.index;
  }
}

TEST_F(CpuAllocator, ManySmallBlocks) {
  std::vector<void*> blocks;
  for (int i = 0; i < 20000; ++i) blocks.push_back(memory().allocate(64, 0));
  for (void* block : blocks) memory().deallocate(block, 64, 0);
  const std::int64_t requests = memory().stats(0).system_requests;
  for (void*& block : blocks) block = memory().allocate(64, 0);
  if (!tern::testing::has_sanitizer()) {
    EXPECT_EQ(memory().stats(0).system_requests, requests);
  }
  for (void* block : blocks) memory().deallocate(block, 64, 0);
}

TEST_F(CpuAllocator, BlocksTravelBetweenThreads) {
  constexpr int kThreads = 4, kBlocks = 3000;
  std::vector<void*> blocks[kThreads];
  const auto in_threads = [](auto body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
    for (std::thread& thread : threads) thread.join();
  };
  const auto size_of = [](int i) { return static_cast<std::size_t>(i % 50 * 400 + 1); };
  for (int round = 0; round < 3; ++round) {
    in_threads([&](int t) {
      for (int i = 0; i < kBlocks; ++i) {
        void* const block = memory().allocate(size_of(i), 0);
        std::memset(block, t, size_of(i));
        blocks[t].push_back(block);
      }
    });
    EXPECT_GT(live(), kThreads * kBlocks * 1000);
    in_threads([&](int t) {
      const int other = (t + 1) % kThreads;
      for (int i = 0; i < kBlocks; ++i) {
        const auto* bytes = static_cast<unsigned char*>(blocks[other][static_cast<std::size_t>(i)]);
        EXPECT_EQ(bytes[0], other);
        EXPECT_EQ(bytes[size_of(i) - 1], other);
        memory().deallocate(blocks[other][static_cast<std::size_t>(i)], size_of(i), 0);
      }
      blocks[other].clear();
    });
    EXPECT_EQ(live(), 0);
  }
}

struct FreesLate {
  ~FreesLate() { memory().deallocate(block, 100, 0); }
  void* block = nullptr;
};

TEST_F(CpuAllocator, FreesWhileAThreadEnds) {
  std::thread([] {
    static thread_local FreesLate late;  // destroyed after the thread's cache
    late.block = nullptr;
    late.block = memory().allocate(100, 0);
  }).join();
}

TEST_F(CpuAllocator, OutOfMemory) {
  const std::size_t bytes = std::size_t(1) << 46;
  for (std::size_t ask : {bytes, ~std::size_t(0)}) {
    try {
      memory().allocate(ask, 0);
      FAIL();
    } catch (const OutOfMemoryError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find("cpu: out of memory: tried to allocate " + std::to_string(ask)), 0U)
          << text;
    }
  }
}

TEST_F(CpuAllocator, InjectedFaults) {
  testing::fail_allocation(2);
  void* const first = memory().allocate(8, 0);
  EXPECT_THROW(memory().allocate(8, 0), OutOfMemoryError);
  void* const third = memory().allocate(8, 0);
  memory().deallocate(first, 8, 0);
  memory().deallocate(third, 8, 0);

  testing::fail_allocation(1, /*onwards=*/true);
  for (int i = 0; i < 3; ++i) EXPECT_THROW(memory().allocate(8, 0), OutOfMemoryError);
  testing::fail_allocation(0);
  memory().deallocate(memory().allocate(8, 0), 8, 0);
  EXPECT_THROW(testing::fail_allocation(-1), Error);
}

}  // namespace
}  // namespace tern
