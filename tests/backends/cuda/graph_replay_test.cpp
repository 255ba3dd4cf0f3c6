#include <optional>
#include <vector>

#include <tern/backends/cuda/host/graph.h>
#include <tern/backends/cuda/host/graphed_step.h>
#include <tern/core/tensor/generator.h>
#include <tern/tern.h>

#include "backends/cuda/simulated.h"

// The order of replays and other work, and replays that are interrupted.

namespace tern::cuda {
namespace {

using tern::testing::DeviceArray;
using tern::testing::draw;
using tern::testing::fill;

template <class T>
void copy(const DeviceArray<T>& to, const T* from) {
  cuda_backend().copy_bytes(to.data(), to.device(), from, to.device(), to.bytes(), true);
}

TEST(GraphReplay, TheFirstWaitsForTheStreamOfTheCapture) {
  const DeviceArray<float> a(1, 0.0f), b(1, 0.0f);
  const Stream side = getStreamFromPool(false, 0);
  {
    const StreamGuard guard(side);
    fill(a, 3.0f);
  }
  CUDAGraph graph;
  graph.capture([&] { copy(b, a.data()); }, {}, side);
  graph.replay();
  EXPECT_EQ(b.read()[0], 3.0f);
}

// Ops that compute their result on the host, or where its rows are: a replay copies it again.
TEST(GraphReplay, NumbersOfTheHostStayWithTheGraph) {
  const TensorOptions cuda{Device(kCUDA, 0)};
  std::vector<Tensor> captured;
  CUDAGraph graph;
  graph.capture([&] {
    captured = {logspace(0, 3, 4, 10.0, cuda), tril_indices(3, 3, 0, cuda.dtype(kInt)),
                triu_indices(3, 3, 1, cuda.dtype(kLong))};
  });
  std::vector<Tensor> pinned;  // takes any host memory that the capture gave back
  for (int i = 0; i < 20; ++i) pinned.push_back(full({12}, 99, kInt).pin_memory());
  for (const Tensor& tensor : captured) tensor.zero_();
  graph.replay();
  EXPECT_TRUE(captured[0].cpu().equal(tern::tensor({1.0f, 10.0f, 100.0f, 1000.0f})));
  EXPECT_TRUE(captured[1].cpu().equal(tril_indices(3, 3, 0, kInt)));
  EXPECT_TRUE(captured[2].cpu().equal(triu_indices(3, 3, 1)));
}

TEST(GraphReplay, NumbersOfTheHostAreForTheDeviceOfTheGraph) {
  TERN_NEEDS_SIMULATOR();  // of two devices
  const Stream other = getStreamFromPool(false, 1);
  CUDAGraph graph;
  const auto capture_on_both = [&] {
    Event fork;
    fork.record();
    fork.block(other);
    const StreamGuard guard(other);
    logspace(0, 3, 4, 10.0, TensorOptions(Device(kCUDA, 1)));
  };
  EXPECT_EQ(error_of<NotImplementedError>([&] { graph.capture(capture_on_both); }),
            "logspace: a CUDA graph can draw random numbers, step optimizers and copy numbers that "
            "an op made on the host only on its own device, cuda:0, got cuda:1");
}

// The memory of a destroyed graph is reused and overwritten at once.
TEST(GraphReplay, AGraphMayGoWhileAReplayIsPending) {
  const DeviceArray<double> out(1, 0.0);
  const DeviceArray<float> drawn(1, 0.0f), wanted(1, 0.0f);
  const Stream capturing = getStreamFromPool(false, 0), replaying = getStreamFromPool(false, 0);
  Generator generator(Device(0)), oracle(Device(0));
  generator.manual_seed(5);
  {
    CUDAGraph graph;
    graph.capture(
        [&] {
          draw(drawn.data(), generator);
          copy(out, cuda_backend().capture(0)->graph_number(0, [] { return 1.5; }));
        },
        {}, capturing);
    graph.replay();
    synchronize(0);
    const StreamGuard guard(replaying);
    graph.replay();  // the numbers are already there
  }
  {
    const StreamGuard guard(capturing);
    const DeviceArray<double> heirs[] = {{64, 9.0}, {64, 9.0}, {64, 9.0}};
  }
  empty_cache();
  synchronize(0);
  EXPECT_EQ(out.read()[0], 1.5);
  oracle.manual_seed(5);
  oracle.set_offset(4);
  draw(wanted.data(), oracle);
  EXPECT_EQ(drawn.read()[0], wanted.read()[0]);
}

// Another device joins by a copy, or by an event that was recorded there before. Its cached memory
// is not released, because the driver would refuse it.
TEST(GraphJoin, TellsTheAllocatorOfTheOtherDevice) {
  TERN_NEEDS_SIMULATOR();
  for (const bool by_event : {false, true}) {
    SCOPED_TRACE(by_event);
    const DeviceArray<float> a(1, 0.0f, 0), b(1, 5.0f, 1);
    cuda_backend().allocator().deallocate(cuda_backend().allocator().allocate(30 << 20, 1),
                                          30 << 20, 1);
    Event fork, join;
    fork.record(getStreamFromPool(false, 0));
    CUDAGraph graph;
    graph.capture([&] {
      if (by_event) {
        fork.record();
        fork.block(getCurrentCUDAStream(1));
        join.record(getCurrentCUDAStream(1));
        join.block(getCurrentCUDAStream(0));
      } else {
        cuda_backend().copy_bytes(a.data(), a.device(), b.data(), b.device(), 4, true);
      }
      empty_cache();
      EXPECT_GE(memory_reserved(1), 30 * tern::testing::kMiB);
    });
    empty_cache();
    EXPECT_LT(memory_reserved(1), 30 * tern::testing::kMiB);
    graph.replay();
    EXPECT_EQ(a.read()[0], by_event ? 0.0f : 5.0f);
  }
}

class FailingReplay : public ::testing::Test {
 protected:
  // Captures draws of both generators and a number; a replay changes all three.
  void SetUp() override {
    first_.manual_seed(5);
    second_.manual_seed(6);
    graph_.capture([&] {
      draw(a_.data(), first_);
      draw(b_.data(), second_);
      copy(out_, cuda_backend().capture(0)->graph_number(0, [&] { return value_; }));
      cuda_backend().capture(0)->after_replay(0, [&] { ++replays_; });
    });
  }

  // Replays while the n-th launch fails. Returns whether there was such a launch.
  bool fails_at(std::int64_t n) {
    detail::plugin().inject(kernels::PluginFault::kLaunch, n);
    bool failed = false;
    try {
      graph_.replay();
    } catch (const DeviceError&) {
      failed = true;
    }
    detail::plugin().inject(kernels::PluginFault::kLaunch, 0);
    return failed;
  }

  static float drawn_by(std::uint64_t seed, std::uint64_t offset) {
    const DeviceArray<float> out(1, 0.0f);
    Generator oracle(Device(0));
    oracle.manual_seed(seed);
    oracle.set_offset(offset);
    draw(out.data(), oracle);
    return out.read()[0];
  }

  const DeviceArray<float> a_{1, 0.0f}, b_{1, 0.0f};
  const DeviceArray<double> out_{1, 0.0};
  Generator first_{Device(0)}, second_{Device(0)};
  double value_ = 0;
  int replays_ = 0;
  CUDAGraph graph_;
};

TEST_F(FailingReplay, LeavesEverythingAsItWas) {
  TERN_NEEDS_SIMULATOR();
  int n = 1;
  for (bool failed = true; failed; ++n) {
    SCOPED_TRACE(n);
    // New values for everything that the host writes.
    value_ = n;
    const auto seed = static_cast<std::uint64_t>(n);
    first_.manual_seed(seed);
    second_.manual_seed(seed + 100);
    first_.set_offset(8 * seed);
    const int replays = replays_;
    failed = fails_at(n);
    if (failed) {
      EXPECT_EQ(first_.get_offset(), 8 * seed);
      EXPECT_EQ(second_.get_offset(), 0u);
      EXPECT_EQ(replays_, replays);
      graph_.replay();
    }
    EXPECT_EQ(replays_, replays + 1);
    EXPECT_EQ(a_.read()[0], drawn_by(seed, 8 * seed));
    EXPECT_EQ(b_.read()[0], drawn_by(seed + 100, 0));
    EXPECT_EQ(out_.read()[0], n);
  }
  EXPECT_EQ(n, 8);  // a number, two seeds, two offsets and the graph failed; then nothing
}

// The writes of a failed replay come before the next replay, on any stream.
TEST_F(FailingReplay, IsInOrderWithTheNext) {
  TERN_NEEDS_SIMULATOR();
  graph_.replay();
  const Stream side = getStreamFromPool(false, 0), other = getStreamFromPool(false, 0);
  {
    const StreamGuard guard(side);
    value_ = 2;
    EXPECT_TRUE(fails_at(2));  // the number is written, the graph not launched
  }
  const StreamGuard guard(other);
  graph_.replay();
  EXPECT_EQ(out_.read()[0], 2.0);
  synchronize(0);
}

TEST(GraphedStep, RunsOnTheDeviceOfItsInputs) {
  const Tensor x = zeros({2}, Device(1));
  std::vector<DeviceIndex> devices;
  GraphedStep step(
      {x},
      [&] {
        devices.push_back(current_device());
        return x + ones({2}, kCUDA);
      },
      /*warmup=*/1);
  for (int i = 0; i < 4; ++i) {
    const Tensor result = step(full({2}, i));
    EXPECT_EQ(result.device(), Device(1));
    EXPECT_TRUE(result.cpu().equal(full({2}, i + 1)));
    EXPECT_EQ(current_device(), 0);
  }
  EXPECT_EQ(devices, (std::vector<DeviceIndex>{1, 1}));  // for the warm-up and for the capture
}

// A step that copied its values too early would make an earlier step, which has not run yet, read
// them.
TEST(GraphedStep, StepsOfSeveralStreamsReadTheirOwnValues) {
  const Tensor x = zeros({1}, kCUDA);
  for (const int warmup : {0, 8}) {
    Tensor total = zeros({1}, kCUDA);
    synchronize();
    GraphedStep step(
        {x}, [&] { return total.mul_(10).add_(x); }, warmup);
    const Stream streams[] = {getStreamFromPool(), getStreamFromPool()};
    for (int i = 1; i <= 8; ++i) {
      const StreamGuard guard(streams[i % 2]);
      step(full({1}, i, kCUDA));
    }
    for (const Stream stream : streams) stream.synchronize();
    EXPECT_EQ(total.cpu().item<float>(), 12345678.0f) << warmup;
  }
}

TEST(GraphedStep, WithoutInputsRunsOnTheDeviceItWasMadeOn) {
  Tensor total;
  std::optional<GraphedStep> step;
  {
    const DeviceGuard guard(1);
    total = zeros({2}, kCUDA);
    step.emplace(std::vector<Tensor>{}, [&] { return total.add_(ones({2}, kCUDA)); });
  }
  for (int i = 1; i <= 6; ++i) EXPECT_TRUE((*step)().cpu().equal(full({2}, i)));
}

TEST(GraphedStep, WantsItsInputsOnOneDevice) {
  const auto make = [](const Tensor& a, const Tensor& b) {
    GraphedStep({a, b}, [&] { return a; });
  };
  const Tensor first = zeros({1}, Device(0)), second = zeros({1}, Device(1));
  EXPECT_EQ(error_of<DeviceError>([&] { make(second, first); }),
            "GraphedStep: expected inputs on cuda:1, got one on cuda:0");
  EXPECT_EQ(error_of<DeviceError>([&] { make(zeros({1}), first); }),
            "GraphedStep: expected inputs on a cuda device, got one on cpu");
}

}  // namespace
}  // namespace tern::cuda
