#include <cmath>
#include <string>
#include <vector>

#include <tern/backends/cuda/device/cudnn/library.h>
#include <tern/core/kernels/families/convolution.h>

#include "backends/cuda/emulator/cudnn.h"
#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

// The calls that CUDA's convolution makes to cuDNN, and when our own kernels compute.
// convolution_test checks the results. Plans live as long as the process, so each test uses shapes
// of its own.

namespace tern {
namespace {

using namespace kernels;
using emulator::Cudnn;

class CudnnConvolution : public ::testing::Test {
 protected:
  CudnnConvolution() { emulator::cuda_kernels().register_kernels(&table_); }
  ~CudnnConvolution() override {
    cudnn_.create_status = cudnn_.graph_status = cudnn_.execute_status = 0;
    cudnn_.mode_a_finds_nothing = cudnn_.only_racing = false;
    emulator::is_capturing() = false;
    emulator::most_scratch() = SIZE_MAX;
    emulator::notes().clear();
  }

  /// Convolves a row of `width` ones with three ones and adds 10.
  KernelContext run(std::int64_t width, int options = 0, int device = 0) {
    ConvolutionArgs args{};
    args.dtype = kFloat;
    args.options = options;
    args.batch = args.groups = args.inputs = args.outputs = 1;
    for (int d = 0; d < 3; ++d) {
      args.kernel[d] = d == 2 ? 3 : 1;
      args.in[d] = d == 2 ? width : 1;
      args.padding[d] = d == 2 ? 1 : 0;
      args.out_sizes[d] = args.in[d];
      args.stride[d] = args.dilation[d] = 1;
    }
    const std::vector<float> x(static_cast<std::size_t>(width), 1), w(3, 1);
    const float bias = 10;
    std::vector<float> y(x.size(), NAN);
    args.input = x.data();
    args.weight = w.data();
    args.bias = &bias;
    args.out = y.data();
    KernelContext context;
    context.device = device;
    const int before = cudnn_.executions;
    {
      const testing::Guards guards(operands(args));
      table_[Slot::convolution](&args, &context);
    }
    executed_ = cudnn_.executions - before;
    if (context.status == StatusCode::kOk) {
      std::vector<float> want(x.size(), 13);
      want.front() = want.back() = 12;
      EXPECT_EQ(y, want) << width;
    }
    return context;
  }

  /// Runs a convolution and returns the engine that computed it, -1 for our own kernels.
  int engine(std::int64_t width, int options = 0, int device = 0) {
    EXPECT_EQ(run(width, options, device).status, StatusCode::kOk);
    return executed_ == 0 ? -1 : cudnn_.last_engine.load();
  }

  Cudnn& cudnn_ = emulator::cudnn();
  int executed_ = 0;

 private:
  KernelTable table_;
};

TEST_F(CudnnConvolution, TakesTheFirstEngineThatIsPermitted) {
  EXPECT_EQ(engine(100, kRoundToTf32), Cudnn::kRounding);
  EXPECT_EQ(engine(100), Cudnn::kRacing);
  EXPECT_EQ(engine(100, kDeterministicConvolution), Cudnn::kPlain);
  EXPECT_EQ(engine(100, kDeterministicConvolution | kRoundToTf32), Cudnn::kRounding);
  EXPECT_EQ(engine(100, kWithoutCudnn), -1);
}

TEST_F(CudnnConvolution, APlanIsMadeOncePerShapeAndDevice) {
  run(110);
  const int before = cudnn_.searches;
  for (int i = 0; i < 3; ++i) run(110);
  EXPECT_EQ(cudnn_.searches, before);
  run(111);
  EXPECT_EQ(cudnn_.searches, before + 1);
  run(110, 0, 1);
  EXPECT_EQ(cudnn_.searches, before + 2);
}

TEST_F(CudnnConvolution, BenchmarkKeepsTheFastestEngine) {
  EXPECT_EQ(engine(120, kFastestConvolution), Cudnn::kRacing);
  EXPECT_EQ(executed_, 2 * 3 + 1);  // three engines, each once to load and once for the time
  EXPECT_EQ(engine(120, kFastestConvolution), Cudnn::kRacing);
  EXPECT_EQ(executed_, 1);
  EXPECT_EQ(engine(120, kFastestConvolution | kDeterministicConvolution), Cudnn::kQuick);
  EXPECT_EQ(engine(120, kFastestConvolution | kRoundToTf32), Cudnn::kRounding);
}

TEST_F(CudnnConvolution, TheOtherModesServeWhenModeAFindsNothing) {
  cudnn_.mode_a_finds_nothing = true;
  EXPECT_EQ(engine(130), Cudnn::kPlain);
  EXPECT_EQ(engine(130, kFastestConvolution), Cudnn::kPlain);
}

TEST_F(CudnnConvolution, OwnKernelsComputeWhatCudnnRefuses) {
  cudnn_.graph_status = static_cast<int>(cuda::device::cudnn::kNotSupported);
  EXPECT_EQ(engine(140), -1);
  cudnn_.graph_status = 0;
  EXPECT_EQ(engine(140), -1);  // remembered
  EXPECT_EQ(engine(141), Cudnn::kRacing);
  cudnn_.execute_status = static_cast<int>(cuda::device::cudnn::kNotSupported);
  EXPECT_EQ(engine(141), -1);
  EXPECT_EQ(engine(142, kFastestConvolution), -1);
}

TEST_F(CudnnConvolution, OwnKernelsComputeIfThereIsNoHandle) {
  cudnn_.create_status = 1001;  // as without a driver
  for (int i = 0; i < 4; ++i) EXPECT_EQ(engine(150, 0, 7), -1);
  EXPECT_EQ(emulator::notes(), std::vector<std::string>(
                                   2, "cuDNN cannot be used: it makes no handle for this device"));
  // A device may have no memory for the first handle, and later some.
  cudnn_.create_status = 0;
  int calls = 0;
  while (engine(150, 0, 7) == -1 && calls < 2000) ++calls;
  EXPECT_LT(calls, 10);
}

TEST_F(CudnnConvolution, ACaptureMakesThePlanThatItLacks) {
  emulator::is_capturing() = true;
  EXPECT_EQ(engine(160), Cudnn::kRacing);
  emulator::is_capturing() = false;
  const int before = cudnn_.searches;
  EXPECT_EQ(engine(160), Cudnn::kRacing);
  EXPECT_EQ(cudnn_.searches, before);
}

TEST_F(CudnnConvolution, BenchmarkWaitsForTheEndOfACapture) {
  const int options = kFastestConvolution | kDeterministicConvolution;
  emulator::is_capturing() = true;
  EXPECT_EQ(engine(161, options), Cudnn::kPlain);  // the first engine, not the fastest
  EXPECT_EQ(executed_, 1);
  emulator::is_capturing() = false;
  EXPECT_EQ(engine(161, options), Cudnn::kQuick);
  emulator::is_capturing() = true;
  EXPECT_EQ(engine(161, options), Cudnn::kQuick);
}

TEST_F(CudnnConvolution, WhatFailsInACaptureIsTriedAgainLater) {
  emulator::is_capturing() = true;
  cudnn_.graph_status = static_cast<int>(cuda::device::cudnn::kInternalError);
  EXPECT_EQ(engine(162), -1);
  cudnn_.graph_status = 0;
  emulator::is_capturing() = false;
  EXPECT_EQ(engine(162), Cudnn::kRacing);
}

TEST_F(CudnnConvolution, WithLittleMemoryAnEngineThatNeedsLessComputes) {
  emulator::most_scratch() = 100;
  EXPECT_EQ(engine(180), Cudnn::kPlain);
  emulator::most_scratch() = SIZE_MAX;
  EXPECT_EQ(engine(181), Cudnn::kRacing);
  emulator::most_scratch() = 100;
  EXPECT_EQ(engine(181), Cudnn::kPlain);
  const int before = cudnn_.searches;
  EXPECT_EQ(engine(181), Cudnn::kPlain);
  EXPECT_EQ(cudnn_.searches, before);
  EXPECT_TRUE(emulator::notes().empty());
}

TEST_F(CudnnConvolution, AShortageOfMemoryIsRememberedAndNoted) {
  cudnn_.only_racing = true;
  emulator::most_scratch() = 100;
  const int before = cudnn_.searches;
  EXPECT_EQ(engine(190), -1);
  const int each = cudnn_.searches - before;
  EXPECT_EQ(engine(190), -1);
  EXPECT_EQ(cudnn_.searches, before + each);
  EXPECT_EQ(emulator::notes(),
            std::vector<std::string>{"convolution without cuDNN: no memory for its workspace"});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(engine(190), -1);
  EXPECT_LE(cudnn_.searches, before + 10 * each);
  emulator::most_scratch() = SIZE_MAX;
  int calls = 0;
  while (engine(190) == -1 && calls < 2000) ++calls;
  EXPECT_LT(calls, 1024);  // there is memory again
  EXPECT_EQ(engine(190), Cudnn::kRacing);
}

TEST_F(CudnnConvolution, FailuresOfTheDeviceAreReported) {
  run(170);
  cudnn_.execute_status = static_cast<int>(cuda::device::cudnn::kExecutionFailed);
  const KernelContext context = run(170);
  EXPECT_EQ(context.status, StatusCode::kDeviceFault);
  EXPECT_STREQ(context.message, "CUDA error: CUDNN_STATUS_EXECUTION_FAILED");
}

TEST(CudnnLibrary, AFileThatIsMissingOrNoCudnnIsNotOpened) {
  cuda::device::cudnn::Library library;
  EXPECT_FALSE(cuda::device::cudnn::open_library("libmissing.so.9", &library));
  EXPECT_FALSE(cuda::device::cudnn::open_library("libc.so.6", &library));
}

}  // namespace
}  // namespace tern
