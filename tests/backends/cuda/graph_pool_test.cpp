#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <tern/backends/cuda/host/graph.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/core/tensor/generator.h>

#include "backends/cuda/simulated.h"

// The memory of graphs, and the random numbers that graphs draw.

namespace tern::cuda {
namespace {

using tern::testing::kMiB;

using tern::testing::DeviceArray;
using tern::testing::draw;
using tern::testing::fill_args;
using tern::testing::launch;

class GraphPool : public ::testing::Test {
 protected:
  void SetUp() override {
    empty_cache();
    ASSERT_EQ(memory_reserved(0), 0);
  }
  char* allocate(std::int64_t bytes) {
    return static_cast<char*>(allocator.allocate(static_cast<std::size_t>(bytes), 0));
  }
  void free(void* pointer) { allocator.deallocate(pointer, 1, 0); }
  void fill(void* pointer, float value) {
    launch(fill_args(static_cast<float*>(pointer), 1, value));
  }
  float read(const void* pointer) {
    float value = 0;
    cuda_backend().copy_bytes(&value, kCPU, pointer, Device(0), 4, false);
    return value;
  }

  detail::CachingAllocator& allocator = cuda_backend().allocator();
};

TEST_F(GraphPool, RecyclesWithinACaptureAndGivesToNobodyElse) {
  const Stream stream = getStreamFromPool();
  CUDAGraph graph;
  char* temporary = nullptr;
  graph.capture(
      [&] {
        temporary = allocate(512);
        fill(temporary, 1.0f);
        free(temporary);
        EXPECT_EQ(allocate(512), temporary);
        free(temporary);
      },
      {}, stream);
  EXPECT_EQ(memory_allocated(0), 0);
  EXPECT_EQ(memory_reserved(0), 2 * kMiB);
  {
    const StreamGuard guard(stream);
    char* other = allocate(512);
    EXPECT_EQ(memory_reserved(0), 4 * kMiB);
    fill(other, 5.0f);
    graph.replay();
    EXPECT_EQ(read(other), 5.0f);
    free(other);
  }
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 2 * kMiB);  // the graph's
  graph.replay();
  synchronize(0);
  graph.reset();
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(GraphPool, TensorsOfAGraphOutliveIt) {
  char* result = nullptr;
  {
    CUDAGraph graph;
    graph.capture([&] {
      result = allocate(512);
      fill(result, 4.0f);
    });
    graph.replay();
  }
  empty_cache();
  EXPECT_EQ(read(result), 4.0f);
  free(result);
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(GraphPool, TwoGraphsShareAPool) {
  const Stream stream = getStreamFromPool();
  CUDAGraph first, second;
  char *a = nullptr, *b = nullptr;
  first.capture(
      [&] {
        a = allocate(512);
        fill(a, 1.0f);
      },
      graph_pool_handle(), stream);
  second.capture(
      [&] {
        char* temporary = allocate(512);  // not the live result of the first graph
        EXPECT_EQ(temporary, a + 512);
        free(temporary);
        b = allocate(512);
        cuda_backend().copy_bytes(b, Device(0), a, Device(0), 4, true);
      },
      first.pool(), stream);
  EXPECT_EQ(second.pool(), first.pool());
  EXPECT_EQ(memory_reserved(0), 2 * kMiB);
  first.replay();
  second.replay();
  EXPECT_EQ(read(b), 1.0f);
  first.reset();  // the second graph still holds the pool
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 2 * kMiB);
  second.replay();
  EXPECT_EQ(read(b), 1.0f);
  free(a);
  free(b);
  second.reset();
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(GraphPool, AFailedCaptureLeavesNothing) {
  CUDAGraph graph;
  EXPECT_THROW(graph.capture([&] {
    free(allocate(512));
    synchronize(0);
  }),
               DeviceError);
  EXPECT_THROW(graph.capture([&] {
    free(allocate(512));
    throw Error("no");
  }),
               Error);
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
}

TEST_F(GraphPool, ACaptureThatCannotBeginLeavesNothing) {
  TERN_NEEDS_SIMULATOR();
  const Stream stream = getStreamFromPool();
  const MempoolId pool = graph_pool_handle();
  CUDAGraph graph, refused;
  graph.capture([&] { free(allocate(512)); }, pool, stream);
  {
    const StreamGuard guard(stream);
    detail::call(&kernels::Plugin::capture_begin, stream.stream());  // a capture of another library
    EXPECT_THROW(refused.capture_begin(pool), DeviceError);
    EXPECT_THROW(detail::call(&kernels::Plugin::capture_end, stream.stream()), DeviceError);
  }
  EXPECT_FALSE(is_current_stream_capturing());
  graph.reset();
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 0);
  detail::PinnedAllocator& pinned = *cuda_backend().pinned_allocator();
  pinned.deallocate(pinned.allocate(5000, -1), 5000, -1);
  pinned.empty_cache();
  EXPECT_EQ(pinned.stats(-1).cached_bytes, 0);
  refused.capture([&] { free(allocate(512)); }, pool, stream);
}

TEST_F(GraphPool, WhatWaitsForStreamsWaitsForTheEndOfACapture) {
  const Stream side = getStreamFromPool();
  char* before = allocate(512);
  char* during = allocate(512);
  allocator.record_stream(before, side);
  allocator.record_stream(during, side);
  free(before);
  CUDAGraph graph;
  graph.capture([&] {
    free(during);
    free(allocate(512));
    empty_cache();  // the driver would refuse
  });
  side.synchronize();
  free(allocate(512));  // queries the events
  empty_cache();
  EXPECT_EQ(memory_reserved(0), 2 * kMiB);  // of the graph
}

// Calls `body` in another thread while a graph is captured on cuda:0, and in the capturing thread.
template <class Body>
void during_a_capture(const Body& body) {
  for (const bool same_thread : {false, true}) {
    SCOPED_TRACE(same_thread);
    CUDAGraph graph;
    graph.capture([&] {
      if (same_thread) return body();
      std::thread(body).join();
    });
  }
}

TEST_F(GraphPool, OtherDevicesGiveCachedMemoryBackDuringACapture) {
  TERN_NEEDS_SIMULATOR();
  during_a_capture([&] {
    allocator.deallocate(allocator.allocate(30 << 20, 1), 30 << 20, 1);
    detail::plugin().inject(kernels::PluginFault::kAllocate, 1);
    void* larger = allocator.allocate(40 << 20, 1);
    EXPECT_EQ(memory_reserved(1), 40 * kMiB);
    allocator.deallocate(larger, 40 << 20, 1);
    empty_cache();
    EXPECT_EQ(memory_reserved(1), 0);
  });
}

TEST_F(GraphPool, OtherThreadsReuseBlocksOfOtherStreamsDuringACapture) {
  const Stream side = getStreamFromPool();
  CUDAGraph graph;
  graph.capture([&] {
    std::thread([&] {
      char* used = allocate(512);
      allocator.record_stream(used, side);
      free(used);
      side.synchronize();
      char* again = allocate(512);
      EXPECT_EQ(again, used);
      free(again);
    }).join();
  });
}

TEST_F(GraphPool, OutOfMemoryEndsTheCapture) {
  free(allocate(512));
  CUDAGraph graph;
  const std::string text =
      error_of<OutOfMemoryError>([&] { graph.capture([&] { allocate(1LL << 50); }); });
  EXPECT_TRUE(text.ends_with("During the capture of a CUDA graph, cached memory cannot be freed."))
      << text;
  EXPECT_FALSE(is_current_stream_capturing());
  graph.capture([&] { free(allocate(512)); });
}

TEST_F(GraphPool, SpreadsToTheDevicesOfACapture) {
  void* other = nullptr;
  CUDAGraph graph;
  graph.capture([&] {
    Event fork, join;
    fork.record();
    fork.block(getCurrentCUDAStream(1));
    {
      const DeviceGuard guard(1);
      other = allocator.allocate(512, 1);
      EXPECT_THROW(cuda_backend().capture(1)->graph_number(1, [] { return 0.0; }),
                   NotImplementedError);
      join.record();
    }
    std::thread([&] {
      const StreamGuard guard(getStreamFromPool(false, 1));
      allocator.deallocate(allocator.allocate(30 << 20, 1), 30 << 20, 1);
      empty_cache();  // the driver would refuse, and end the capture
      EXPECT_GE(memory_reserved(1), 30 * kMiB);
    }).join();
    join.block(getCurrentCUDAStream(0));
  });
  allocator.deallocate(other, 512, 1);
  empty_cache();
  EXPECT_EQ(memory_reserved(1), 2 * kMiB);
  graph.reset();
  empty_cache();
  EXPECT_EQ(memory_reserved(1), 0);
}

TEST(GraphDraws, GoOnWhereTheGeneratorStands) {
  const DeviceArray<float> a(1, 0.0f), b(1, 0.0f);
  Generator generator(Device(0)), other(Device(0)), oracle(Device(0));
  generator.manual_seed(5);
  other.manual_seed(6);
  CUDAGraph graph;
  graph.capture([&] {
    draw(a.data(), generator);
    draw(b.data(), other);
    draw(a.data(), generator);
  });
  EXPECT_EQ(generator.get_offset(), 0u);  // nothing was drawn yet
  const auto expected = [&](std::uint64_t seed, std::uint64_t offset) {
    const DeviceArray<float> out(1, 0.0f);
    oracle.manual_seed(seed);
    oracle.set_offset(offset);
    draw(out.data(), oracle);
    return out.read()[0];
  };
  for (std::uint64_t i = 0; i < 3; ++i) {
    graph.replay();
    EXPECT_EQ(generator.get_offset(), 8 * (i + 1));
    EXPECT_EQ(a.read()[0], expected(5, 8 * i + 4));
    EXPECT_EQ(b.read()[0], expected(6, 4 * i));
  }
  draw(a.data(), generator);  // eagerly, between replays
  EXPECT_EQ(a.read()[0], expected(5, 24));
  graph.replay();
  EXPECT_EQ(a.read()[0], expected(5, 32));
  generator.manual_seed(9);
  graph.replay();
  EXPECT_EQ(a.read()[0], expected(9, 4));
}

// A replay overwrites the numbers that the previous replay reads.
TEST(GraphDraws, ReplaysOnDifferentStreamsAreInOrder) {
  const DeviceArray<float> a(1, 0.0f), b(1, 0.0f), wanted(1, 0.0f);
  Generator generator(Device(0)), oracle(Device(0));
  generator.manual_seed(5);
  double value = 0;
  const DeviceArray<double> out(1, 0.0);
  CUDAGraph graph;
  graph.capture([&] {
    draw(a.data(), generator);
    const double* place = cuda_backend().capture(0)->graph_number(0, [&] { return value; });
    cuda_backend().copy_bytes(out.data(), Device(0), place, Device(0), 8, true);
  });
  const Stream first = getStreamFromPool(false, 0), second = getStreamFromPool(false, 0);
  for (int i = 1; i <= 4; ++i) {
    value = i;
    generator.manual_seed(static_cast<std::uint64_t>(i));
    const StreamGuard guard(i % 2 == 0 ? second : first);
    graph.replay();
  }
  second.synchronize();
  first.synchronize();
  EXPECT_EQ(out.read()[0], 4.0);
  oracle.manual_seed(4);
  draw(wanted.data(), oracle);
  EXPECT_EQ(a.read()[0], wanted.read()[0]);
}

TEST(GraphDraws, AReplayLeavesTheOffsetOfTheNext) {
  TERN_NEEDS_SIMULATOR();
  const DeviceArray<float> a(1, 0.0f);
  Generator generator(Device(0));
  CUDAGraph graph;
  graph.capture([&] { draw(a.data(), generator); });
  graph.replay();
  detail::plugin().inject(kernels::PluginFault::kLaunch, 2);
  graph.replay();  // the graph's only launch
  EXPECT_EQ(launch(fill_args(a.data(), 1, 0.0f)).status, kernels::StatusCode::kDeviceFault);
}

TEST(GraphDraws, NumbersOfTheHostAreWrittenBeforeAReplay) {
  const DeviceArray<double> out(1, 0.0);
  double value = 1.5;
  int replays = 0;
  CUDAGraph graph;
  graph.capture([&] {
    const double* place = cuda_backend().capture(0)->graph_number(0, [&] { return value; });
    cuda_backend().capture(0)->after_replay(0, [&] { ++replays; });
    cuda_backend().copy_bytes(out.data(), Device(0), place, Device(0), 8, true);
  });
  for (const double next : {1.5, 1.5, -0.25}) {
    value = next;
    graph.replay();
    EXPECT_EQ(out.read()[0], next);
  }
  EXPECT_EQ(replays, 3);
  EXPECT_EQ(cuda_backend().capture(0), nullptr);
}

}  // namespace
}  // namespace tern::cuda
