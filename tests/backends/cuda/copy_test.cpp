#include <array>
#include <cstring>
#include <thread>

#include <tern/backends/cuda/host/graph.h>

#include "backends/cuda/simulated.h"

namespace tern::cuda {
namespace {

using tern::testing::DeviceArray;
using tern::testing::upload;

// Pinned host memory, freed by the destructor.
class Pinned {
 public:
  explicit Pinned(std::size_t bytes) : bytes_(bytes), data_(allocator().allocate(bytes, -1)) {}
  ~Pinned() { allocator().deallocate(data_, bytes_, -1); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  float* floats() const { return static_cast<float*>(data_); }
  static detail::PinnedAllocator& allocator() { return *cuda_backend().pinned_allocator(); }

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(CudaCopy, GoesToTheDeviceAndBack) {
  const auto a = upload<double>({1.5, -2.5, 3.5});
  EXPECT_EQ(a.read(), (std::vector<double>{1.5, -2.5, 3.5}));
}

TEST(CudaCopy, StaysOnTheDevice) {
  const auto a = upload<float>({1, 2}), b = upload<float>({0, 0});
  cuda_backend().copy_bytes(b.data(), b.device(), a.data(), a.device(), 8, false);
  EXPECT_EQ(b.read(), (std::vector<float>{1, 2}));
}

TEST(CudaCopy, PageableMemoryMayChangeOnceTheCopyReturned) {
  auto a = upload<float>({0, 0});
  std::vector<float> source = {1, 2};
  a.write(source.data(), /*non_blocking=*/true);
  source = {8, 9};
  EXPECT_EQ(a.read(), (std::vector<float>{1, 2}));
}

TEST(CudaCopy, PageableMemoryHasArrivedWhenTheCopyReturned) {
  const auto a = upload<float>({1, 2});
  std::vector<float> target = {0, 0};
  cuda_backend().copy_bytes(target.data(), kCPU, a.data(), a.device(), 8, /*non_blocking=*/true);
  EXPECT_EQ(target, (std::vector<float>{1, 2}));
}

TEST(CudaCopy, PinnedMemoryIsReadLate) {
  TERN_NEEDS_LATE_WORK();
  DeviceArray<float> a(1, 0.0f);
  const Pinned source(4);
  *source.floats() = 1;
  a.write(source.floats(), /*non_blocking=*/true);
  *source.floats() = 2;  // overwrites the source too early, as non_blocking allows
  EXPECT_EQ(a.read()[0], 2.0f);
}

TEST(CudaCopy, PinnedMemoryIsWrittenLate) {
  TERN_NEEDS_LATE_WORK();
  const DeviceArray<float> a(1, 5.0f);
  const Pinned target(4);
  *target.floats() = 0;
  cuda_backend().copy_bytes(target.floats(), kCPU, a.data(), a.device(), 4, true);
  EXPECT_EQ(*target.floats(), 0.0f);
  synchronize(0);
  EXPECT_EQ(*target.floats(), 5.0f);
}

TEST(CudaCopy, PinnedBlocksWaitForTheirCopies) {
  TERN_NEEDS_LATE_WORK();
  DeviceArray<float> a(1, 0.0f);
  auto& allocator = Pinned::allocator();
  void* first = allocator.allocate(4, -1);
  EXPECT_TRUE(allocator.is_pinned(first));
  *static_cast<float*>(first) = 3;
  a.write(static_cast<float*>(first), /*non_blocking=*/true);
  allocator.deallocate(first, 4, -1);
  EXPECT_FALSE(allocator.is_pinned(first));
  const Pinned meanwhile(4);
  EXPECT_NE(static_cast<void*>(meanwhile.floats()), first);
  EXPECT_EQ(a.read()[0], 3.0f);
  const Pinned later(4);
  EXPECT_EQ(static_cast<void*>(later.floats()), first);
}

// If two copies use a block, on one stream or on two, either may finish last.
TEST(CudaCopy, PinnedBlocksWaitForEachOfTheirCopies) {
  TERN_NEEDS_SIMULATOR();
  auto& allocator = Pinned::allocator();
  const Stream one = getStreamFromPool(false, 0), two = getStreamFromPool(false, 0);
  for (const auto& [first, second, done] :
       {std::array{one, one, one}, {one, two, one}, {one, two, two}}) {
    DeviceArray<float> a(1, 0.0f), b(1, 0.0f);
    allocator.empty_cache();
    void* const block = allocator.allocate(4, -1);
    *static_cast<float*>(block) = 3;
    const auto copy_on = [&](Stream stream, DeviceArray<float>& to) {
      const StreamGuard guard(stream);
      to.write(block, /*non_blocking=*/true);
    };
    copy_on(first, a);
    if (first == second) done.synchronize();
    copy_on(second, b);
    if (first != second) done.synchronize();
    allocator.deallocate(block, 4, -1);
    {
      const Pinned other(4);
      EXPECT_NE(static_cast<void*>(other.floats()), block);
      *other.floats() = 9;
    }
    one.synchronize();
    two.synchronize();
    EXPECT_EQ(a.read()[0], 3.0f);
    EXPECT_EQ(b.read()[0], 3.0f);
    allocator.empty_cache();
    EXPECT_EQ(allocator.stats(-1).cached_bytes, 0);
  }
}

TEST(CudaCopy, PinnedMemoryIsCachedByPowersOfTwo) {
  TERN_NEEDS_SIMULATOR();
  auto& allocator = Pinned::allocator();
  allocator.empty_cache();
  const auto before = allocator.stats(-1);
  { const Pinned first(5000); }
  { const Pinned second(8000); }
  EXPECT_EQ(allocator.stats(-1).system_requests, before.system_requests + 1);
  EXPECT_EQ(allocator.stats(-1).cached_bytes, 8192);
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats(-1).cached_bytes, 0);
  detail::plugin().inject(kernels::PluginFault::kAllocateHost, -1);
  EXPECT_THROW(allocator.allocate(5000, -1), OutOfMemoryError);
  detail::plugin().inject(kernels::PluginFault::kAllocateHost, 0);
  EXPECT_THROW(allocator.allocate(SIZE_MAX, -1), OutOfMemoryError);
}

TEST(CudaCopy, CachedPinnedMemoryIsGivenBackBeforeThereIsNone) {
  TERN_NEEDS_SIMULATOR();
  auto& allocator = Pinned::allocator();
  allocator.empty_cache();
  { const Pinned cached(5000); }
  detail::plugin().inject(kernels::PluginFault::kAllocateHost, 1);
  const Pinned other(20000);
  EXPECT_EQ(allocator.stats(-1).cached_bytes, 0);
}

TEST(CudaCopy, PinnedMemoryIsGivenBackAfterItsCopies) {
  TERN_NEEDS_SIMULATOR();
  auto& allocator = Pinned::allocator();
  allocator.empty_cache();
  DeviceArray<float> a(1, 0.0f);
  {
    const Pinned source(4);
    *source.floats() = 6;
    a.write(source.floats(), /*non_blocking=*/true);
  }
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats(-1).cached_bytes, 4096);
  EXPECT_EQ(a.read()[0], 6.0f);
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats(-1).cached_bytes, 0);
}

TEST(CudaCopy, PinnedBlocksAreReusedDuringTheCaptureOfAnotherThread) {
  auto& allocator = Pinned::allocator();
  DeviceArray<float> a(1, 0.0f);
  CUDAGraph graph;
  graph.capture([&] {
    std::thread([&] {
      void* first = allocator.allocate(5000, -1);
      a.write(first, /*non_blocking=*/true);
      allocator.deallocate(first, 5000, -1);
      getCurrentCUDAStream(0).synchronize();
      void* second = allocator.allocate(5000, -1);
      EXPECT_EQ(second, first);
      allocator.deallocate(second, 5000, -1);
    }).join();
  });
}

// During a capture the driver refuses to query events and would end the capture.
TEST(CudaCopy, PinnedBlocksInUseAreLeftAloneDuringACapture) {
  TERN_NEEDS_SIMULATOR();
  auto& allocator = Pinned::allocator();
  allocator.empty_cache();
  DeviceArray<float> a(1, 0.0f);
  void* const block = allocator.allocate(4, -1);
  a.write(block, /*non_blocking=*/true);
  allocator.deallocate(block, 4, -1);
  CUDAGraph graph;
  graph.capture([&] {
    const Pinned other(4);
    EXPECT_NE(static_cast<void*>(other.floats()), block);
  });
}

TEST(CudaCopy, PinnedMemoryIsNotGivenBackDuringACapture) {
  auto& allocator = Pinned::allocator();
  { const Pinned cached(5000); }
  const auto before = allocator.stats(-1).cached_bytes;
  CUDAGraph graph;
  graph.capture([&] { allocator.empty_cache(); });  // the driver would refuse
  EXPECT_EQ(allocator.stats(-1).cached_bytes, before);
  graph.replay();
}

TEST(CudaCopy, RefusesMemoryOfTheWrongPlace) {
  TERN_NEEDS_SIMULATOR();
  const DeviceArray<float> a(1, 0.0f, 0);
  float host = 0;
  CudaBackend& backend = cuda_backend();
  EXPECT_EQ(error_of<DeviceError>(
                [&] { backend.copy_bytes(&host, kCPU, a.data(), Device(1), 4, false); }),
            "CUDA error: invalid argument: a copy of 4 bytes was told cuda:1 and got memory of "
            "cuda:0");
  EXPECT_EQ(error_of<DeviceError>(
                [&] { backend.copy_bytes(a.data(), Device(0), a.data(), kCPU, 4, false); }),
            "CUDA error: invalid argument: a copy of 4 bytes was told host and got memory of "
            "cuda:0");
  EXPECT_THROW(backend.copy_bytes(a.data(), Device(0), &host, kCPU, 3 << 20, false), DeviceError);
}

TEST(CudaCopy, PassesAnInjectedFaultOn) {
  TERN_NEEDS_SIMULATOR();
  DeviceArray<float> a(1, 0.0f);
  const float value = 1;
  detail::plugin().inject(kernels::PluginFault::kCopy, 1);
  EXPECT_THROW(a.write(&value), DeviceError);
  a.write(&value);
  EXPECT_EQ(a.read()[0], 1.0f);
}

}  // namespace
}  // namespace tern::cuda
