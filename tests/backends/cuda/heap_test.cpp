#include <vector>

#include "backends/cuda/simulated.h"
#include "serialization/heap_faults.h"

// Memory is given back by destructors, which must not need the heap.

namespace tern::cuda {
namespace {

using tern::testing::fill_args;
using tern::testing::launch;

class NoHeap : public ::testing::Test {
 protected:
  void SetUp() override {
    empty_cache();
    ASSERT_EQ(memory_reserved(0), 0);
  }
  void TearDown() override { fail_new(0); }

  // Allocates 512 bytes. Returns null if the n-th heap request failed and the allocation with it.
  void* allocate_when_new_fails(long n) {
    void* block = nullptr;
    fail_new(n);
    try {
      block = allocator.allocate(512, 0);
    } catch (const std::exception&) {  // std::bad_alloc, or a driver error
    }
    fail_new(0);
    return block;
  }

  detail::CachingAllocator& allocator = cuda_backend().allocator();
  const Stream side = getStreamFromPool(false, 0);
};

TEST_F(NoHeap, BlocksGoBack) {
  constexpr std::size_t kBlocks = 40;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(allocator.allocate(512, 0));
  for (std::size_t i = 0; i < kBlocks; i += 2) {  // neighbours that cannot merge
    fail_new(1);
    allocator.deallocate(blocks[i], 512, 0);
    fail_new(0);
  }
  for (std::size_t i = 1; i < kBlocks; i += 2) allocator.deallocate(blocks[i], 512, 0);
  EXPECT_EQ(memory_allocated(0), 0);
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(NoHeap, BlocksOfOtherStreamsWaitUntilTheHeapIsBack) {
  TERN_NEEDS_SIMULATOR();
  void* used = allocator.allocate(512, 0);
  allocator.record_stream(used, side);
  {
    const StreamGuard guard(side);
    launch(fill_args(static_cast<float*>(used), 1, 1.0f));
  }
  fail_new(1);
  allocator.deallocate(used, 512, 0);
  fail_new(0);
  void* next = allocator.allocate(512, 0);
  EXPECT_NE(next, used);  // the side stream still writes there
  EXPECT_EQ(launch(fill_args(static_cast<float*>(next), 1, 2.0f)).status, kernels::StatusCode::kOk);
  synchronize(0);
  allocator.deallocate(next, 512, 0);
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(NoHeap, PinnedBlocksGoBack) {
  detail::PinnedAllocator& pinned = *cuda_backend().pinned_allocator();
  pinned.empty_cache();
  const std::int64_t before = pinned.stats(-1).live_bytes;
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i) blocks.push_back(pinned.allocate(4096, -1));
  for (void* block : blocks) {
    fail_new(1);
    pinned.deallocate(block, 4096, -1);
    fail_new(0);
  }
  EXPECT_EQ(pinned.stats(-1).live_bytes, before);
  pinned.empty_cache();
  EXPECT_EQ(pinned.stats(-1).cached_bytes, 0);
}

// If the heap is exhausted in the middle of an allocation, nothing leaks.
TEST_F(NoHeap, AnAllocationThatFailsChangesNothing) {
  TERN_NEEDS_SIMULATOR();
  void* first = allocator.allocate(512, 0);
  for (long n = 1;; ++n) {
    void* const block = allocate_when_new_fails(n);
    EXPECT_EQ(memory_allocated(0), block == nullptr ? 512 : 1024);
    EXPECT_EQ(memory_reserved(0), 2 << 20);
    if (block == nullptr) continue;
    allocator.deallocate(block, 512, 0);
    break;
  }
  allocator.deallocate(first, 512, 0);
  for (long n = 1;; ++n) {
    empty_cache();
    ASSERT_EQ(memory_reserved(0), 0);
    void* const block = allocate_when_new_fails(n);
    if (block == nullptr) continue;
    allocator.deallocate(block, 512, 0);
    break;
  }
}

}  // namespace
}  // namespace tern::cuda
