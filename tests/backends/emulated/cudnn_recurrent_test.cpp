#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <tern/backends/cuda/device/cudnn/recurrent_library.h>
#include <tern/core/kernels/families/recurrent_layer.h>

#include "backends/cuda/emulator/cudnn.h"
#include "backends/cuda/emulator/cusolver.h"
#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

// The calls that CUDA makes to cuDNN for recurrent layers, and when it does not take one.
// RecurrentLayerOnCuda compares the results with the CPU's. What a device remembers lives as long
// as the process, so each test has sizes of its own.

namespace tern {
namespace {

using namespace kernels;
using cuda::device::cudnn::kDefaultMath;
using cuda::device::cudnn::kExactMath;
using emulator::Cudnn;

/// The operands of a layer with two sequences.
struct Layer {
  explicit Layer(RecurrentCell cell, std::int64_t hidden, std::vector<std::int64_t> starts = {})
      : starts_(std::move(starts)) {
    args.cell = cell;
    args.dtype = kFloat;
    args.is_training = 1;
    args.steps = starts_.empty() ? 3 : static_cast<std::int64_t>(starts_.size()) - 1;
    args.batch = 2;
    args.rows = starts_.empty() ? 6 : starts_.back();
    args.inputs = 3;
    args.hidden = hidden;
    if (!starts_.empty()) args.host_starts = args.starts = starts_.data();
    const auto memory_of = [&](std::int64_t count) {
      memory_.emplace_back(static_cast<std::size_t>(count), 0.25f);
      return memory_.back().data();
    };
    const std::int64_t gates = weighted_gates(cell), state = args.batch * hidden;
    args.input = memory_of(args.rows * args.inputs);
    args.first_h = memory_of(state);
    args.w_ih = memory_of(gates * hidden * args.inputs);
    args.w_hh = memory_of(gates * hidden * hidden);
    args.b_ih = memory_of(gates * hidden);
    args.b_hh = memory_of(gates * hidden);
    out_ = memory_of(args.rows * hidden);
    h_ = memory_of(state);
    grad_out_ = memory_of(args.rows * hidden);
    grads_ = {memory_of(args.rows * args.inputs),
              memory_of(state),
              memory_of(gates * hidden * args.inputs),
              memory_of(gates * hidden * hidden),
              memory_of(gates * hidden),
              memory_of(gates * hidden)};
    if (cell == RecurrentCell::kLstm) {
      args.first_c = memory_of(state);
      c_ = memory_of(state);
      grads_.push_back(memory_of(state));
    }
  }

  RecurrentLayerArgs question(std::int64_t* answer) const {
    RecurrentLayerArgs own = args;
    own.op = RecurrentLayerOp::kAsk;
    own.answer = answer;
    return own;
  }
  RecurrentLayerArgs forward(std::int64_t reserve_bytes) {
    RecurrentLayerArgs own = args;
    own.op = RecurrentLayerOp::kForward;
    own.out = out_;
    own.h = h_;
    own.c = c_;
    own.reserve_bytes = reserve_bytes;
    reserve.resize(static_cast<std::size_t>(std::max<std::int64_t>(reserve_bytes, 0)));
    own.reserve = reserve.data();
    return own;
  }
  RecurrentLayerArgs backward() {
    RecurrentLayerArgs own = args;
    own.op = RecurrentLayerOp::kBackward;
    own.reserve_bytes = static_cast<std::int64_t>(reserve.size());
    own.reserve = reserve.data();
    own.saved_out = out_;
    own.grad_out = grad_out_;
    own.grad_input = grads_[0];
    own.grad_first_h = grads_[1];
    own.grad_w_ih = grads_[2];
    own.grad_w_hh = grads_[3];
    own.grad_b_ih = grads_[4];
    own.grad_b_hh = grads_[5];
    if (grads_.size() > 6) own.grad_first_c = grads_[6];
    return own;
  }

  RecurrentLayerArgs args{};
  std::vector<char> reserve;

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::vector<float>> memory_;
  float *out_ = nullptr, *h_ = nullptr, *c_ = nullptr, *grad_out_ = nullptr;
  std::vector<float*> grads_;
};

class CudnnLayer : public ::testing::Test {
 protected:
  CudnnLayer() { emulator::cuda_kernels().register_kernels(&table_); }
  ~CudnnLayer() override {
    cudnn_.create_status = 0;
    cudnn_.layer_status = cudnn_.layer_run_status = cudnn_.layer_gradient_status = 0;
    emulator::is_capturing() = false;
    emulator::most_scratch() = SIZE_MAX;
  }

  KernelContext run(RecurrentLayerArgs args, int device = 0) {
    KernelContext context;
    context.device = device;
    const testing::Guards guards(operands(args));
    table_[Slot::recurrent_layer](&args, &context);
    return context;
  }
  std::int64_t ask(const Layer& layer, int device = 0) {
    std::int64_t answer = -2;
    const RecurrentLayerArgs args = layer.question(&answer);
    KernelContext context;
    context.device = device;
    table_[Slot::recurrent_layer](&args, &context);
    EXPECT_EQ(context.status, StatusCode::kOk);
    return answer;
  }
  StatusCode forward(Layer& layer) { return run(layer.forward(ask(layer))).status; }

  Cudnn& cudnn_ = emulator::cudnn();
  KernelTable table_;
};

TEST_F(CudnnLayer, IsRunWithItsGradients) {
  for (const RecurrentCell cell :
       {RecurrentCell::kTanh, RecurrentCell::kRelu, RecurrentCell::kLstm, RecurrentCell::kGru}) {
    for (const std::vector<std::int64_t>& starts :
         {std::vector<std::int64_t>{}, {0, 2, 4, 5}, {0, 2}}) {
      Layer layer(cell, 10, starts);
      const int layers = cudnn_.layers, gradients = cudnn_.layer_gradients;
      const int weights = cudnn_.layer_weight_gradients;
      EXPECT_EQ(forward(layer), StatusCode::kOk);
      EXPECT_EQ(run(layer.backward()).status, StatusCode::kOk);
      EXPECT_EQ(cudnn_.layers - layers, 1);
      EXPECT_EQ(cudnn_.layer_gradients - gradients, 1);
      EXPECT_EQ(cudnn_.layer_weight_gradients - weights, 1);
    }
  }
}

TEST_F(CudnnLayer, ComputesGradientsOfParametersOnlyIfTheyAreWanted) {
  Layer layer(RecurrentCell::kGru, 11);
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  RecurrentLayerArgs args = layer.backward();
  args.grad_w_ih = args.grad_w_hh = args.grad_b_ih = args.grad_b_hh = nullptr;
  const int weights = cudnn_.layer_weight_gradients;
  EXPECT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(cudnn_.layer_weight_gradients, weights);
}

TEST_F(CudnnLayer, RoundsToTf32OnlyIfItMay) {
  Layer layer(RecurrentCell::kLstm, 12);
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  EXPECT_EQ(cudnn_.last_layer_math, static_cast<int>(kExactMath));
  layer.args.may_round_to_tf32 = 1;
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  EXPECT_EQ(cudnn_.last_layer_math, static_cast<int>(kDefaultMath));
}

TEST_F(CudnnLayer, HasNoReserveInInference) {
  Layer layer(RecurrentCell::kLstm, 13);
  EXPECT_GT(ask(layer), 0);
  layer.args.is_training = 0;
  EXPECT_EQ(ask(layer), 0);
  EXPECT_EQ(forward(layer), StatusCode::kOk);
}

TEST_F(CudnnLayer, IsNotForCudnn) {
  const auto refused = [&](const std::function<void(RecurrentLayerArgs&)>& change) {
    Layer layer(RecurrentCell::kTanh, 14);
    change(layer.args);
    const std::int64_t answer = ask(layer);
    RecurrentLayerArgs args = layer.args;
    args.op = RecurrentLayerOp::kForward;
    KernelContext context;
    table_[Slot::recurrent_layer](&args, &context);
    return answer == -1 && context.status == StatusCode::kUnsupportedDtype;
  };
  EXPECT_TRUE(refused([](auto& args) { args.dtype = kHalf; }));
  EXPECT_TRUE(refused([](auto& args) { args.dtype = kLong; }));
  EXPECT_TRUE(refused([](auto& args) { args.inputs = 0; }));
  EXPECT_TRUE(refused([](auto& args) { args.hidden = 0; }));
  EXPECT_TRUE(refused([](auto& args) { args.rows = 0; }));
  EXPECT_TRUE(refused([](auto& args) { args.inputs = std::int64_t{1} << 31; }));
  EXPECT_TRUE(refused([](auto& args) { args.hidden = 50000; }));  // a weight of more than 2^31
  EXPECT_TRUE(refused([](auto& args) { args.rows = std::int64_t{1} << 30; }));
}

TEST_F(CudnnLayer, IsNotTakenWithoutAHandle) {
  const Layer layer(RecurrentCell::kTanh, 15);
  cudnn_.create_status = 1001;  // as without a driver
  EXPECT_EQ(ask(layer, 6), -1);
  cudnn_.create_status = 0;
  EXPECT_EQ(ask(layer, 6), -1);
}

TEST_F(CudnnLayer, WhatIsRefusedIsRemembered) {
  Layer layer(RecurrentCell::kGru, 16);
  cudnn_.layer_status = static_cast<int>(cuda::device::cudnn::kNotSupported);
  EXPECT_EQ(ask(layer), -1);
  cudnn_.layer_status = 0;
  EXPECT_EQ(ask(layer), -1);

  Layer other(RecurrentCell::kGru, 17);
  EXPECT_GT(ask(other), 0);
  cudnn_.layer_run_status = static_cast<int>(cuda::device::cudnn::kNotSupported);
  EXPECT_EQ(forward(other), StatusCode::kUnsupportedDtype);
  cudnn_.layer_run_status = 0;
  EXPECT_EQ(ask(other), -1);

  Layer third(RecurrentCell::kGru, 18);
  EXPECT_EQ(forward(third), StatusCode::kOk);
  cudnn_.layer_gradient_status = static_cast<int>(cuda::device::cudnn::kBadParam);
  EXPECT_EQ(run(third.backward()).status, StatusCode::kUnsupportedDtype);
  EXPECT_EQ(ask(third), -1);
}

TEST_F(CudnnLayer, WhatFailsInACaptureIsTriedAgainLater) {
  Layer layer(RecurrentCell::kGru, 19);
  emulator::is_capturing() = true;
  cudnn_.layer_status = static_cast<int>(cuda::device::cudnn::kInternalError);
  EXPECT_EQ(ask(layer), -1);
  cudnn_.layer_status = 0;
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  emulator::is_capturing() = false;
  EXPECT_EQ(forward(layer), StatusCode::kOk);
}

TEST_F(CudnnLayer, AReserveOfAnotherSizeIsRefused) {
  Layer layer(RecurrentCell::kLstm, 20);
  EXPECT_EQ(run(layer.forward(ask(layer) + 8)).status, StatusCode::kUnsupportedDtype);
}

TEST_F(CudnnLayer, AShortageOfMemoryIsRemembered) {
  Layer layer(RecurrentCell::kLstm, 21);
  emulator::most_scratch() = 100;
  const KernelContext context = run(layer.forward(ask(layer)));
  EXPECT_EQ(context.status, StatusCode::kOutOfMemory);
  EXPECT_STREQ(context.message, "CUDA error: no memory for a recurrent layer of cuDNN");
  EXPECT_EQ(ask(layer), -1);
  EXPECT_EQ(forward(layer), StatusCode::kOutOfMemory);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(layer), -1);  // less often
  emulator::most_scratch() = SIZE_MAX;
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  emulator::most_scratch() = 100;
  EXPECT_EQ(forward(layer), StatusCode::kOutOfMemory);
  EXPECT_EQ(ask(layer), -1);
  EXPECT_GT(ask(layer), 0);  // there was memory in between
}

TEST_F(CudnnLayer, FailuresOfTheDeviceAreReported) {
  Layer layer(RecurrentCell::kLstm, 22);
  cudnn_.layer_run_status = static_cast<int>(cuda::device::cudnn::kExecutionFailed);
  const KernelContext context = run(layer.forward(ask(layer)));
  EXPECT_EQ(context.status, StatusCode::kDeviceFault);
  EXPECT_STREQ(context.message, "CUDA error: CUDNN_STATUS_EXECUTION_FAILED");
  cudnn_.layer_run_status = static_cast<int>(cuda::device::cudnn::kNoDeviceMemory);
  EXPECT_EQ(forward(layer), StatusCode::kOutOfMemory);
}

// What replaces cuDNN sees mistakes.

TEST_F(CudnnLayer, AChangedReserveIsSeen) {
  Layer layer(RecurrentCell::kLstm, 23);
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  layer.reserve[layer.reserve.size() / 2] ^= 1;
  EXPECT_THROW(run(layer.backward()), std::logic_error);
}

TEST_F(CudnnLayer, AReserveServesOnce) {
  Layer layer(RecurrentCell::kLstm, 24);
  EXPECT_EQ(forward(layer), StatusCode::kOk);
  EXPECT_EQ(run(layer.backward()).status, StatusCode::kOk);
  EXPECT_THROW(run(layer.backward()), std::logic_error);
}

TEST_F(CudnnLayer, OtherLengthsInDeviceMemoryAreSeen) {
  Layer layer(RecurrentCell::kLstm, 25, {0, 2, 4, 5});
  const std::vector<std::int64_t> host = {0, 2, 3, 4};
  layer.args.host_starts = host.data();
  EXPECT_THROW(forward(layer), std::logic_error);
}

}  // namespace
}  // namespace tern
