#include <tern/backends/cuda/host/graphed_step.h>

#include <utility>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/core/base/error.h>

namespace tern::cuda {
namespace {

// Returns the device of the first input, or -1 for the current device.
DeviceIndex device_of(const std::vector<Tensor>& inputs) {
  if (inputs.empty()) return -1;
  const Device device = inputs[0].device();
  TERN_CHECK(device.is_cuda(), DeviceError,
             "GraphedStep: expected inputs on a cuda device, got one on ", device);
  return device.index();
}

}  // namespace

GraphedStep::GraphedStep(std::vector<Tensor> inputs, std::function<Tensor()> step, int warmup,
                         MempoolId pool)
    : inputs_(std::move(inputs)),
      step_(std::move(step)),
      warmup_(warmup),
      pool_(pool),
      side_(getStreamFromPool(false, device_of(inputs_))) {
  for (const Tensor& input : inputs_) {
    TERN_CHECK(input.device() == side_.device(), DeviceError, "GraphedStep: expected inputs on ",
               side_.device(), ", got one on ", input.device());
  }
}

Tensor GraphedStep::run(const std::vector<Tensor>& values) {
  TERN_CHECK(values.size() == inputs_.size(), Error, "GraphedStep: expected ", inputs_.size(),
             " values, one for each input, got ", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    TERN_CHECK(values[i].sizes() == inputs_[i].sizes(), ShapeError, "GraphedStep: value ", i,
               " has sizes ", values[i].sizes(), ", but the captured input has sizes ",
               inputs_[i].sizes());
  }
  const DeviceGuard guard(side_.device());
  const Stream stream = getCurrentCUDAStream();
  graph_.wait_for_last(stream);  // the previous step, on another stream, may still read the inputs
  for (std::size_t i = 0; i < values.size(); ++i) {
    inputs_[i].copy_(values[i].detach(), /*non_blocking=*/true);
  }
  Tensor result;
  if (warmup_ > 0) {
    result = step_().detach();
    graph_.mark_last(stream);
    --warmup_;
    return result;
  }
  if (!result_.defined()) {
    graph_.capture([&] { result = step_().detach(); }, pool_, side_);
    result_ = result;
  }
  graph_.replay();
  return result_;
}

}  // namespace tern::cuda
