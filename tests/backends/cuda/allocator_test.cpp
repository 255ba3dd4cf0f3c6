#include <cstdint>
#include <thread>
#include <vector>

#include <tern/backends/cuda/host/graph.h>

#include "backends/cuda/simulated.h"

namespace tern::cuda {
namespace {

using tern::testing::kMiB;

// Starts every test with an empty cache and without a live block on cuda:0.
class CachingAllocator : public ::testing::Test {
 protected:
  void SetUp() override {
    allocator.empty_cache();
    ASSERT_EQ(memory_allocated(0), 0);
    ASSERT_EQ(memory_reserved(0), 0);
    requests_before = allocator.stats(0).system_requests;
  }
  std::int64_t requests() const { return allocator.stats(0).system_requests - requests_before; }
  char* allocate(std::int64_t bytes) {
    return static_cast<char*>(allocator.allocate(static_cast<std::size_t>(bytes), 0));
  }
  void free(void* pointer) { allocator.deallocate(pointer, 1, 0); }
  static void inject(kernels::PluginFault fault, std::int64_t n) {
    detail::plugin().inject(fault, n);
  }

  detail::CachingAllocator& allocator = cuda_backend().allocator();
  std::int64_t requests_before = 0;
};

TEST_F(CachingAllocator, TakesSegmentsOfPyTorchsSizes) {
  struct Case {
    std::int64_t request, segment;
  };
  for (const Case c :
       {Case{1, 2 * kMiB}, Case{kMiB, 2 * kMiB}, Case{kMiB + 1, 20 * kMiB},
        Case{10 * kMiB - 512, 20 * kMiB}, Case{10 * kMiB, 10 * kMiB}, Case{11 * kMiB, 12 * kMiB}}) {
    char* pointer = allocate(c.request);
    EXPECT_EQ(memory_reserved(0), c.segment) << c.request;
    free(pointer);
    allocator.empty_cache();
    EXPECT_EQ(memory_reserved(0), 0);
  }
}

TEST_F(CachingAllocator, CutsSegmentsAndCountsWholeBlocks) {
  char* a = allocate(1);
  char* b = allocate(513);
  char* c = allocate(512);
  EXPECT_EQ(b - a, 512);
  EXPECT_EQ(c - b, 1024);
  EXPECT_EQ(memory_allocated(0), 512 + 1024 + 512);
  EXPECT_EQ(requests(), 1);
  for (char* pointer : {a, b, c}) free(pointer);
}

TEST_F(CachingAllocator, ReusesTheBestFit) {
  char* large = allocate(4096);
  char* gap = allocate(512);
  char* small = allocate(1024);
  char* end = allocate(512);
  free(large);
  free(small);
  EXPECT_EQ(allocate(1000), small);
  EXPECT_EQ(allocate(2000), large);
  EXPECT_EQ(requests(), 1);
  for (char* pointer : {large, gap, small, end}) free(pointer);
}

TEST_F(CachingAllocator, JoinsFreedNeighbours) {
  char* a = allocate(512);
  char* b = allocate(512);
  char* c = allocate(512);
  char* d = allocate(512);
  free(a);
  free(c);
  free(b);  // merges with both neighbours
  EXPECT_EQ(allocate(1536), a);
  free(a);
  free(d);  // merges with the rest of the segment
  allocator.empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(CachingAllocator, LargeSegmentsKeepRestsUpToOneMiB) {
  char* a = allocate(9 * kMiB);
  char* b = allocate(10 * kMiB);  // the rest of 11 MiB is too small for a block
  EXPECT_EQ(b - a, 9 * kMiB);
  EXPECT_EQ(memory_allocated(0), 20 * kMiB);
  free(a);
  free(b);
}

TEST_F(CachingAllocator, KeepsStreamsApart) {
  char* a = allocate(512);
  free(a);
  {
    const StreamGuard guard(getStreamFromPool(false, 0));
    char* other = allocate(512);
    EXPECT_NE(other, a);
    EXPECT_EQ(requests(), 2);
    free(other);
  }
  EXPECT_EQ(allocate(512), a);
  free(a);
}

TEST_F(CachingAllocator, WaitsForStreamsThatWereRecorded) {
  TERN_NEEDS_LATE_WORK();
  const Stream side = getStreamFromPool(false, 0);
  char* a = allocate(512);
  allocator.record_stream(a, side);
  tern::testing::launch(tern::testing::fill_args(reinterpret_cast<float*>(a), 1, 1.0f));
  free(a);
  EXPECT_EQ(memory_allocated(0), 0);
  char* b = allocate(512);  // the event has not passed at the first query
  EXPECT_NE(b, a);
  char* c = allocate(512);  // now it has passed
  EXPECT_EQ(c, a);
  free(b);
  free(c);
}

TEST_F(CachingAllocator, EmptyCacheWaitsForRecordedStreams) {
  char* a = allocate(512);
  allocator.record_stream(a, getStreamFromPool(false, 0));
  free(a);
  allocator.empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(CachingAllocator, AsksAStreamForTheFirstOfItsBlocksOnly) {
  TERN_NEEDS_SIMULATOR();
  const Stream side = getStreamFromPool(false, 0);
  char* a = allocate(512);
  char* b = allocate(512);
  for (char* pointer : {a, b}) allocator.record_stream(pointer, side);
  for (char* pointer : {a, b}) free(pointer);
  char* c = allocate(512);  // the simulator's stream runs only up to the queried event, that of `a`
  char* d = allocate(1024);  // so `b` is not yet free to merge
  EXPECT_NE(d, a);
  char* e = allocate(1024);
  EXPECT_EQ(e, a);
  for (char* pointer : {c, d, e}) free(pointer);
}

TEST_F(CachingAllocator, AFailureWhileCollectingFreesNothingTwice) {
  TERN_NEEDS_SIMULATOR();
  const Stream side = getStreamFromPool(false, 0), broken = getStreamFromPool(false, 0);
  char* a = allocate(512);
  char* b = allocate(512);
  allocator.record_stream(a, side);
  allocator.record_stream(b, broken);
  kernels::PluginStatus status;
  detail::plugin().capture_begin(broken.stream(), &status);
  EXPECT_THROW(broken.synchronize(), DeviceError);  // no event can be recorded there from here on
  std::thread([&] {                                 // the capturing thread may not query events
    free(a);
    free(b);
    EXPECT_THROW(allocator.empty_cache(), DeviceError);  // the error of `b`
  })
      .join();
  EXPECT_EQ(detail::plugin().capture_end(broken.stream(), &status), nullptr);
  CUDAGraph graph;
  graph.capture([&] {  // a capture queries no events: waiting blocks still wait
    const StreamGuard guard(getDefaultCUDAStream(0));
    a = allocate(512);  // may get the memory of `a`
  });
  char* c = allocate(512);
  EXPECT_NE(c, a);
  free(a);
  free(c);
}

TEST_F(CachingAllocator, GivesCachedMemoryBackBeforeItFails) {
  TERN_NEEDS_SIMULATOR();
  free(allocate(30 * kMiB));
  inject(kernels::PluginFault::kAllocate, 1);
  char* pointer = allocate(40 * kMiB);
  EXPECT_EQ(memory_reserved(0), 40 * kMiB);
  free(pointer);
}

TEST_F(CachingAllocator, OutOfMemoryTellsTheFiguresAndChangesNothing) {
  char* live = allocate(12 * kMiB);
  free(allocate(3 * kMiB));
  const std::string text = error_of<OutOfMemoryError>([&] { allocate(5LL << 30); });
  EXPECT_EQ(
      text,
      "CUDA out of memory. Tried to allocate 5.00 GiB. GPU 0 has a total capacity of 4.00 GiB "
      "of which 3.99 GiB is free. Of the allocated memory 12.00 MiB is allocated by tern, and "
      "0 bytes is reserved by tern but unallocated.");
  EXPECT_THROW(allocate(INT64_MAX), OutOfMemoryError);
  EXPECT_EQ(memory_allocated(0), 12 * kMiB);
  char* after = allocate(512);
  free(after);
  free(live);
}

// Devices may be parts of one GPU, so all caches are released.
TEST_F(CachingAllocator, AllDevicesGiveTheirCachesBackBeforeOneFails) {
  void* other = allocator.allocate(3 << 20, 1);
  allocator.deallocate(other, 3 << 20, 1);
  EXPECT_GT(memory_reserved(1), 0);
  EXPECT_THROW(allocate(5LL << 40), OutOfMemoryError);
  EXPECT_EQ(memory_reserved(1), 0);
}

TEST_F(CachingAllocator, CountsLivePeakAndCached) {
  reset_peak_memory_stats(0);
  char* a = allocate(1024);
  char* b = allocate(1024);
  free(a);
  EXPECT_EQ(memory_allocated(0), 1024);
  EXPECT_EQ(max_memory_allocated(0), 2048);
  EXPECT_EQ(allocator.stats(0).cached_bytes, 2 * kMiB - 1024);
  reset_peak_memory_stats(0);
  EXPECT_EQ(max_memory_allocated(0), 1024);
  free(b);
}

TEST_F(CachingAllocator, DevicesHaveTheirOwnMemory) {
  void* other = allocator.allocate(512, 1);
  EXPECT_EQ(memory_allocated(0), 0);
  EXPECT_EQ(memory_allocated(1), 512);
  allocator.deallocate(other, 512, 1);
}

TEST_F(CachingAllocator, ServesManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      const StreamGuard guard(getStreamFromPool(false, 0));
      for (int i = 1; i <= 100; ++i) {
        const float value = static_cast<float>(100 * t + i);
        const tern::testing::DeviceArray<float> a(static_cast<std::size_t>(i), 0.0f);
        tern::testing::launch(tern::testing::fill_args(a.data(), i, value));
        EXPECT_EQ(a.read().back(), value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory_allocated(0), 0);
}

TEST_F(CachingAllocator, ObeysTheInjectedFault) {
  tern::testing::fail_allocation(1);
  EXPECT_THROW(allocate(512), OutOfMemoryError);
  free(allocate(512));
}

TEST_F(CachingAllocator, FindsTheBlockAroundAnAddress) {
  char* a = allocate(1000);
  kernels::PluginBlock block{};
  ASSERT_TRUE(allocator.find_block(0, a + 10, &block));
  EXPECT_EQ(block.start, a);
  EXPECT_EQ(block.bytes, 1000);
  EXPECT_EQ(block.live, 1);
  EXPECT_EQ(block.serial, allocator.stats(0).allocations);
  ASSERT_TRUE(allocator.find_block(0, a + 4096, &block));  // the rest of its segment
  EXPECT_EQ(block.live, 0);
  free(a);
  ASSERT_TRUE(allocator.find_block(0, a + 10, &block));
  EXPECT_EQ(block.live, 0);
  EXPECT_FALSE(allocator.find_block(0, &block, &block));
}

// memcheck must see the first byte beyond a tensor. A graph keeps the memory of its tensors, which
// no other tensor reuses.
TEST(CachingAllocatorDeathTest, WithoutTheCacheMemoryHasTheSizeOfItsTensor) {
  EXPECT_EXIT(
      {
        setenv("TERN_CUDA_CACHE", "0", 1);
        auto& allocator = cuda_backend().allocator();
        std::vector<void*> pointers;
        std::size_t sum = 0;
        const auto take = [&](std::size_t bytes) {
          pointers.push_back(allocator.allocate(bytes, 0));
          sum += bytes;
          return memory_reserved(0) == static_cast<std::int64_t>(sum);
        };
        bool good = take(1) && take(511) && take(513) && take((1 << 20) + 4) && take(30 << 20);
        for (void* pointer : pointers) allocator.deallocate(pointer, 0, 0);
        good = good && memory_reserved(0) == 0;
        CUDAGraph graph;
        graph.capture([&] {
          sum = 0;
          good = good && take(4000);
          allocator.deallocate(pointers.back(), 0, 0);
          good = good && take(100);
          allocator.deallocate(pointers.back(), 0, 0);
        });
        graph.reset();
        empty_cache();
        std::exit(good && memory_reserved(0) == 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(CachingAllocatorDeathTest, ASmallDeviceRunsOutOfMemory) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        setenv("TERN_SIM_MEMORY", "4194304", 1);
        auto& allocator = cuda_backend().allocator();
        void* first = allocator.allocate(1 << 20, 0);
        const std::string text =
            error_of<OutOfMemoryError>([&] { allocator.allocate(3 << 20, 0); });
        allocator.deallocate(first, 1 << 20, 0);
        allocator.allocate(1 << 20, 0);
        const bool good =
            text.find(
                "Tried to allocate 3.00 MiB. GPU 0 has a total capacity of 4.00 MiB of which "
                "2.00 MiB is free") != std::string::npos;
        std::exit(good ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(CachingAllocatorDeathTest, TheEnvironmentMakesAnAllocationFail) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EXIT(
      {
        setenv("TERN_SIM_FAIL_ALLOC", "2", 1);
        kernels::PluginStatus status[3];
        for (auto& s : status) detail::plugin().allocate(0, 512, &s);
        const bool good = status[0].code == kernels::StatusCode::kOk &&
                          status[1].code == kernels::StatusCode::kOutOfMemory &&
                          status[2].code == kernels::StatusCode::kOk;
        std::exit(good ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tern::cuda
