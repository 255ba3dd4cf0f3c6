#include <thread>
#include <vector>

#include "backends/cuda/simulated.h"

namespace tern::cuda {
namespace {

using tern::testing::DeviceArray;
using tern::testing::fill;
using tern::testing::fill_args;
using tern::testing::launch;
using tern::testing::peek;

TEST(CudaStream, WorkRunsLate) {
  TERN_NEEDS_LATE_WORK();
  const DeviceArray<float> a(1, 0.0f);
  const Stream stream = getStreamFromPool(false, 0);
  {
    const StreamGuard guard(stream);
    fill(a, 1.0f);
  }
  EXPECT_EQ(peek(a), 0.0f);
  stream.synchronize();
  EXPECT_EQ(peek(a), 1.0f);
}

TEST(CudaStream, ABlockingCopyWaitsForItsStream) {
  const DeviceArray<float> a(1, 0.0f);
  fill(a, 2.0f);
  EXPECT_EQ(a.read(), std::vector<float>{2.0f});
}

TEST(CudaStream, SynchronizeWaitsForAllStreamsOfTheDevice) {
  TERN_NEEDS_LATE_WORK();
  const DeviceArray<float> a(1, 0.0f);
  {
    const StreamGuard guard(getStreamFromPool(false, 0));
    fill(a, 3.0f);
  }
  synchronize(1);
  EXPECT_EQ(peek(a), 0.0f);
  synchronize(0);
  EXPECT_EQ(peek(a), 3.0f);
}

TEST(CudaStream, QueryLetsTheWorkGoOn) {
  TERN_NEEDS_LATE_WORK();
  const DeviceArray<float> a(1, 0.0f);
  const Stream stream = getStreamFromPool(false, 0);
  const StreamGuard guard(stream);
  EXPECT_TRUE(stream.query());
  fill(a, 1.0f);
  EXPECT_FALSE(stream.query());
  EXPECT_TRUE(stream.query());
}

TEST(CudaStream, AFullQueueRuns) {
  TERN_NEEDS_SIMULATOR();
  const DeviceArray<float> a(1, 0.0f);
  const StreamGuard guard(getStreamFromPool(false, 0));
  for (int i = 1; i <= 300; ++i) fill(a, static_cast<float>(i));
  EXPECT_GT(peek(a), 0.0f);
  synchronize(0);  // before the memory returns to the stream that owns it
}

TEST(CudaStream, EventsOrderStreams) {
  TERN_NEEDS_LATE_WORK();
  const DeviceArray<float> a(1, 0.0f);
  const Stream first = getStreamFromPool(false, 0), second = getStreamFromPool(false, 0);
  Event event;
  {
    const StreamGuard guard(first);
    fill(a, 1.0f);
    event.record();
    fill(a, 9.0f);  // after the event: nobody waits for it
  }
  event.block(second);
  {
    const StreamGuard guard(second);
    EXPECT_EQ(a.read()[0], 1.0f);
  }
  first.synchronize();
  EXPECT_EQ(peek(a), 9.0f);
}

TEST(CudaStream, AWaitMeansThePlaceThatTheEventMarkedThen) {
  TERN_NEEDS_LATE_WORK();
  const DeviceArray<float> a(1, 0.0f);
  const Stream first = getStreamFromPool(false, 0), second = getStreamFromPool(false, 0);
  Event event;
  event.record(first);
  event.block(second);
  {
    const StreamGuard guard(first);
    fill(a, 1.0f);
  }
  event.record(first);  // moves the event, not the wait
  second.synchronize();
  EXPECT_EQ(peek(a), 0.0f);
  event.synchronize();
  EXPECT_EQ(peek(a), 1.0f);
}

TEST(CudaStream, EventsTellWhetherTheyPassedAndWhen) {
  const DeviceArray<float> a(1, 0.0f);
  Event start(/*timing=*/true), end(/*timing=*/true), plain;
  EXPECT_TRUE(plain.query());
  EXPECT_FALSE(plain.is_created());
  start.record();
  fill(a, 1.0f);
  end.record();
  if (!testing::on_gpu()) {  // which may be done already
    EXPECT_FALSE(end.query());
  }
  end.synchronize();
  EXPECT_TRUE(end.query());
  EXPECT_GE(start.elapsed_time(end), 0.0f);
  plain.record();
  plain.synchronize();
  EXPECT_THROW(start.elapsed_time(plain), DeviceError);
  EXPECT_THROW(start.elapsed_time(Event()), DeviceError);
}

TEST(CudaStream, EventsTakeCudasFlags) {
  const DeviceArray<float> a(1, 0.0f);
  constexpr int kDefault = 0, kBlockingSync = 1, kDisableTiming = 2;  // of cuda_runtime_api.h
  CUDAEvent start(kDefault), end(kBlockingSync), plain(kDisableTiming), other;
  for (Event* event : std::initializer_list<Event*>{&start, &end, &plain, &other}) {
    event->record();
    event->synchronize();
  }
  EXPECT_GE(start.elapsed_time(end), 0.0f);
  EXPECT_THROW(start.elapsed_time(plain), DeviceError);
  EXPECT_THROW(start.elapsed_time(other), DeviceError);
  CUDAEvent moved(kDisableTiming), timed(kDefault);
  moved = std::move(timed);
  moved.record();
  moved.synchronize();
  EXPECT_GE(start.elapsed_time(moved), 0.0f);
  EXPECT_EQ(
      error_of<Error>([] { CUDAEvent(4); }),
      "CUDAEvent: flags must be 0, 1 (blocking sync), 2 (disable timing) or their sum, got 4");
}

TEST(CudaStream, EventsStayOnTheirDeviceAndBlockAny) {
  const DeviceArray<float> a(1, 0.0f, 0), b(1, 0.0f, 1);
  Event event;
  fill(a, 5.0f);
  event.record(getCurrentCUDAStream(0));
  EXPECT_EQ(error_of<DeviceError>([&] { event.record(getCurrentCUDAStream(1)); }),
            "Event device 0 does not match recording stream's device 1");
  event.block(getCurrentCUDAStream(1));
  getCurrentCUDAStream(1).synchronize();
  EXPECT_EQ(peek(a), 5.0f);
}

// The order holds for both streams, whichever runs first.
TEST(CudaStream, CopiesBetweenDevicesAreOrderedWithBothSides) {
  for (const DeviceIndex first : {0, 1}) {
    const DeviceArray<float> a(1, 0.0f, 0), b(1, 0.0f, 1);
    fill(a, 7.0f);
    fill(b, 1.0f);  // earlier work of the target must not overwrite the copy
    cuda_backend().copy_bytes(b.data(), b.device(), a.data(), a.device(), 4, true);
    fill(a, 8.0f);  // later work of the source must not be seen
    getCurrentCUDAStream(first).synchronize();
    EXPECT_EQ(b.read()[0], 7.0f) << first;
    EXPECT_EQ(a.read()[0], 8.0f) << first;
  }
}

TEST(CudaStream, ThePoolHandsOutItsStreamsInTurn) {
  std::vector<Stream> streams;
  for (int i = 0; i < 33; ++i) streams.push_back(getStreamFromPool(false, 1));
  EXPECT_EQ(streams[0], streams[32]);
  EXPECT_FALSE(streams[0] == streams[1]);
  EXPECT_EQ(streams[0].device(), Device("cuda:1"));
  EXPECT_FALSE(getStreamFromPool(true, 1) == getStreamFromPool(false, 1));
  EXPECT_EQ(getDefaultCUDAStream(1).id(), 0);
  EXPECT_THROW(getStreamFromPool(false, 2), DeviceError);
}

TEST(CudaStream, GuardsSetStreamAndDeviceOfThisThread) {
  const Stream stream = getStreamFromPool(false, 1);
  {
    const StreamGuard guard(stream);
    EXPECT_EQ(current_device(), 1);
    EXPECT_EQ(getCurrentCUDAStream(), stream);
    EXPECT_EQ(getCurrentCUDAStream(0), getDefaultCUDAStream(0));
    std::thread([] { EXPECT_EQ(getCurrentCUDAStream(1), getDefaultCUDAStream(1)); }).join();
  }
  EXPECT_EQ(current_device(), 0);
  EXPECT_EQ(getCurrentCUDAStream(1), getDefaultCUDAStream(1));
}

}  // namespace
}  // namespace tern::cuda
