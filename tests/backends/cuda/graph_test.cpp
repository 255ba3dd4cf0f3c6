#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tern/backends/cuda/host/graph.h>
#include <tern/backends/cuda/host/plugin_call.h>

#include "backends/cuda/simulated.h"

namespace tern::cuda {
namespace {

using detail::call;
using kernels::Plugin;
using tern::testing::DeviceArray;
using tern::testing::fill;
using tern::testing::fill_args;
using tern::testing::launch;
using tern::testing::peek;

// A copy as the simulator sees it. tern refuses pageable memory before; a GPU might accept it.
void copy_pageable(void* to, int to_device, const void* from, int from_device) {
  if (tern::testing::on_gpu()) return call(&Plugin::device_synchronize, 0);
  call(&Plugin::copy, to, to_device, from, from_device, std::size_t{4},
       getCurrentCUDAStream().stream());
}

const std::string kNotPermitted = "CUDA error: operation not permitted when stream is capturing";

TEST(CudaGraph, RecordsOnceAndRunsAtEveryReplay) {
  const DeviceArray<float> a(1, 0.0f);
  CUDAGraph graph;
  EXPECT_FALSE(is_current_stream_capturing());
  graph.capture([&] {
    EXPECT_TRUE(is_current_stream_capturing());
    fill(a, 1.0f);
  });
  EXPECT_FALSE(is_current_stream_capturing());
  synchronize(0);
  EXPECT_EQ(peek(a), 0.0f);
  for (int i = 0; i < 3; ++i) {
    fill(a, 2.0f);
    graph.replay();
    EXPECT_EQ(a.read()[0], 1.0f);
  }
}

TEST(CudaGraph, AReplayRunsLateAndInOrder) {
  TERN_NEEDS_SIMULATOR();
  const DeviceArray<float> a(1, 0.0f);
  CUDAGraph graph;
  graph.capture([&] { fill(a, 1.0f); });
  graph.replay();
  EXPECT_EQ(peek(a), 0.0f);
  fill(a, 2.0f);
  EXPECT_EQ(a.read()[0], 2.0f);
}

TEST(CudaGraph, CopiesWithinADeviceAreRecorded) {
  const DeviceArray<float> a(1, 1.0f), b(1, 0.0f);
  CUDAGraph graph;
  graph.capture(
      [&] { cuda_backend().copy_bytes(b.data(), b.device(), a.data(), a.device(), 4, true); });
  fill(a, 5.0f);
  graph.replay();
  EXPECT_EQ(b.read()[0], 5.0f);
}

TEST(CudaGraph, SaysWhatIsWrongWithACall) {
  CUDAGraph graph;
  EXPECT_EQ(
      error_of<Error>([&] { graph.capture_begin(); }),
      "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok "
      "to replay them on the default stream.)");
  EXPECT_EQ(error_of<Error>([&] { graph.replay(); }),
            "Called CUDAGraph::replay without a preceding successful capture.");
  EXPECT_EQ(error_of<Error>([&] { graph.pool(); }),
            "Called CUDAGraph::pool() without a preceding successful capture.");
  EXPECT_THROW(graph.capture_end(), Error);
  const Stream stream = getStreamFromPool();
  {
    const StreamGuard guard(stream);
    graph.capture_begin();
  }
  EXPECT_EQ(error_of<Error>([&] { graph.capture_end(); }),
            "Capture must end on the same stream it began on.");
  {
    const StreamGuard guard(stream);
    EXPECT_EQ(error_of<Error>([&] { graph.replay(); }),
              "Called CUDAGraph::replay without a preceding successful capture.");
    graph.capture_end();
    EXPECT_EQ(error_of<Error>([&] { graph.capture_begin(); }),
              "This CUDAGraph instance already owns a captured graph. To capture a new graph, "
              "create a new instance.");
    graph.reset();
    graph.capture_begin();
    graph.capture_end();
  }
  EXPECT_NE(graph.pool(), MempoolId{});
  graph.replay();  // nothing
}

TEST(CudaGraph, WhatCudaForbidsEndsTheCapture) {
  DeviceArray<float> a(1, 0.0f);
  float host = 0;
  Event earlier;
  earlier.record();
  const auto forbidden = std::to_array<std::pair<const char*, std::function<void()>>>({
      {"synchronize the device", [] { call(&Plugin::device_synchronize, 0); }},
      {"synchronize the stream", [] { getCurrentCUDAStream().synchronize(); }},
      {"query the stream", [] { getCurrentCUDAStream().query(); }},
      {"query an event", [&] { earlier.query(); }},
      {"copy from pageable memory",
       [&] { copy_pageable(a.data(), 0, &host, kernels::kHostDevice); }},
      {"copy to pageable memory", [&] { copy_pageable(&host, kernels::kHostDevice, a.data(), 0); }},
  });
  for (const auto& [what, refused] : forbidden) {
    CUDAGraph graph;
    const Stream stream = getStreamFromPool();
    const StreamGuard guard(stream);
    graph.capture_begin();
    EXPECT_TRUE(error_of<DeviceError>(refused).starts_with(kNotPermitted)) << what;
    EXPECT_EQ(error_of<DeviceError>([&] { fill(a, 1.0f); }),
              "CUDA error: operation failed due to a previous error during capture")
        << what;
    EXPECT_EQ(error_of<DeviceError>([&] { graph.capture_end(); }),
              "CUDA error: operation failed due to a previous error during capture")
        << what;
    fill(a, 2.0f);  // the stream works again
    EXPECT_EQ(a.read()[0], 2.0f) << what;
    graph.capture([&] { fill(a, 3.0f); });  // and so does the graph
    graph.replay();
    EXPECT_EQ(a.read()[0], 3.0f) << what;
  }
}

// CUDA would end the capture of the other thread, so tern refuses.
TEST(CudaGraph, NobodySynchronizesTheDeviceOfACapture) {
  const DeviceArray<float> a(1, 0.0f, 0), b(1, 0.0f, 1);
  CUDAGraph graph;
  graph.capture([&] {
    fill(a, 1.0f);
    std::thread([] {
      EXPECT_EQ(error_of<DeviceError>([] { synchronize(0); }),
                kNotPermitted + ": cuda::synchronize(0) while a graph is captured on cuda:0");
      if (!tern::testing::on_gpu()) synchronize(1);  // may be the same device
    }).join();
    Event fork, join;
    fork.record();
    fork.block(getCurrentCUDAStream(1));
    EXPECT_THROW(synchronize(1), DeviceError);
    {
      const DeviceGuard guard(1);
      fill(b, 1.0f);
      join.record();
    }
    join.block(getCurrentCUDAStream(0));
  });
  graph.replay();
  synchronize(0);
  EXPECT_EQ(a.read()[0], 1.0f);
  EXPECT_EQ(b.read()[0], 1.0f);
}

TEST(CudaGraph, OnlyPinnedMemoryIsCopied) {
  DeviceArray<float> a(1, 0.0f);
  detail::PinnedAllocator& allocator = *cuda_backend().pinned_allocator();
  float* pinned = static_cast<float*>(allocator.allocate(4, 0));
  float pageable = 0;
  CUDAGraph graph;
  graph.capture([&] {
    const std::string text =
        "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor "
        "is "
        "pinned. Please use tensor.pin_memory() or allocate the tensor with pinned_memory(true).";
    EXPECT_EQ(error_of<DeviceError>([&] { a.write(&pageable); }), text);
    EXPECT_EQ(error_of<DeviceError>([&] { a.read(); }), text);
    a.write(pinned, true);  // the capture continues
  });
  for (const float value : {3.0f, 4.0f}) {
    *pinned = value;
    graph.replay();
    EXPECT_EQ(a.read()[0], value);
  }
  allocator.deallocate(pinned, 4, 0);
}

TEST(CudaGraph, EventsOfACaptureCannotBeAsked) {
  TERN_NEEDS_SIMULATOR();
  const DeviceArray<float> a(1, 0.0f);
  Event event;
  CUDAGraph graph;
  graph.capture([&] {
    fill(a, 1.0f);
    event.record();
  });
  const std::string text =
      "CUDA error: operation not permitted on an event last recorded in a capturing stream";
  EXPECT_EQ(error_of<DeviceError>([&] { event.query(); }), text);
  EXPECT_EQ(error_of<DeviceError>([&] { event.synchronize(); }), text);
  EXPECT_EQ(error_of<DeviceError>([&] { event.block(getCurrentCUDAStream()); }), text);
  event.record();  // moves the event
  event.synchronize();
}

TEST(CudaGraph, AnExceptionEndsTheCapture) {
  const DeviceArray<float> a(1, 0.0f);
  CUDAGraph graph;
  EXPECT_EQ(error_of<std::runtime_error>([&] {
              graph.capture([&] {
                fill(a, 1.0f);
                throw std::runtime_error("no");
              });
            }),
            "no");
  EXPECT_FALSE(is_current_stream_capturing());
  EXPECT_EQ(a.read()[0], 0.0f);
  graph.capture([&] { fill(a, 2.0f); });
  graph.replay();
  EXPECT_EQ(a.read()[0], 2.0f);
}

TEST(CudaGraph, OtherStreamsJoinByEvents) {
  const DeviceArray<float> a(1, 0.0f), b(1, 0.0f);
  const Stream side = getStreamFromPool();
  CUDAGraph graph;
  graph.capture([&] {
    fill(a, 1.0f);
    Event fork, join;
    fork.record();
    fork.block(side);
    {
      const StreamGuard guard(side);
      EXPECT_TRUE(is_current_stream_capturing());
      cuda_backend().copy_bytes(b.data(), b.device(), a.data(), a.device(), 4, true);
      join.record();
    }
    join.block(getCurrentCUDAStream());
  });
  side.synchronize();  // runs its work again
  EXPECT_EQ(b.read()[0], 0.0f);
  graph.replay();
  EXPECT_EQ(b.read()[0], 1.0f);
}

TEST(CudaGraph, AStreamThatNobodyWaitsForRunsLate) {
  TERN_NEEDS_SIMULATOR();
  const DeviceArray<float> a(1, 0.0f), b(1, 0.0f);
  const Stream side = getStreamFromPool();
  CUDAGraph graph;
  graph.capture([&] {
    Event fork, join;
    fork.record();
    fork.block(side);
    {
      const StreamGuard guard(side);
      fill(a, 1.0f);
      join.record();
    }
    // The wait comes too late: on a GPU this is a race.
    cuda_backend().copy_bytes(b.data(), b.device(), a.data(), a.device(), 4, true);
    join.block(getCurrentCUDAStream());
  });
  graph.replay();
  EXPECT_EQ(a.read()[0], 1.0f);
  EXPECT_EQ(b.read()[0], 0.0f);
}

TEST(CudaGraph, TellsWhichStreamsDoNotBelongTogether) {
  const DeviceArray<float> a(1, 0.0f);
  const Stream side = getStreamFromPool();
  const auto capture_error = [](const std::function<void()>& body) {
    CUDAGraph graph;
    return error_of<DeviceError>([&] { graph.capture(body); });
  };
  EXPECT_EQ(capture_error([&] {
              Event fork;
              fork.record();
              fork.block(side);
              const StreamGuard guard(side);
              fill(a, 1.0f);
            }),
            "CUDA error: capturing stream has unjoined work");
  side.synchronize();
  TERN_NEEDS_SIMULATOR();
  EXPECT_EQ(capture_error([&] {
              Event outside;
              outside.record(side);
              outside.block(getCurrentCUDAStream());
            }),
            "CUDA error: dependency created on uncaptured work in another stream");
  EXPECT_EQ(capture_error([&] {
              Event place;
              place.record();
              CUDAGraph other;
              other.capture([&] { place.block(getCurrentCUDAStream()); });
            }),
            "CUDA error: operation would result in a merge of separate capture sequences");
}

TEST(CudaGraph, OtherThreadsGoOn) {
  const DeviceArray<float> a(1, 0.0f), b(1, 0.0f);
  CUDAGraph graph;
  graph.capture([&] {
    fill(a, 1.0f);
    std::thread([&] {
      EXPECT_FALSE(is_current_stream_capturing());
      fill(b, 1.0f);
      EXPECT_EQ(b.read()[0], 1.0f);
      EXPECT_EQ(DeviceArray<float>(1, 4.0f).read()[0], 4.0f);
    }).join();
    fill(a, 2.0f);
  });
  graph.replay();
  EXPECT_EQ(a.read()[0], 2.0f);
}

TEST(CudaGraph, AReplayFindsMemoryThatWasFreed) {
  TERN_NEEDS_SIMULATOR();
  CUDAGraph graph;
  std::optional<DeviceArray<float>> a(std::in_place, 1, 0.0f);
  graph.capture([&] { fill(*a, 1.0f); });
  a.reset();
  const std::string text = error_of<DeviceError>([&] { graph.replay(); });
  EXPECT_NE(text.find("kernel fill on cuda:0 got the output in memory of cuda:0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(", which was freed"), std::string::npos) << text;
  const DeviceArray<float> heir(1, 7.0f);  // now has the same memory
  EXPECT_NE(error_of<DeviceError>([&] {
              graph.replay();
            }).find(", which was freed since the graph was captured"),
            std::string::npos);
  EXPECT_EQ(heir.read()[0], 7.0f);
}

}  // namespace
}  // namespace tern::cuda
