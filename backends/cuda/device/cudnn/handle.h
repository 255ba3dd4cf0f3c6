#pragma once

#include <cuda_runtime.h>

#include <tern/backends/cuda/device/cudnn/library.h>
#include <tern/backends/cuda/device/runtime/runtime.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device::cudnn {

/// Returns true if the work of the context's stream is captured into a graph.
inline bool is_capturing(const kernels::KernelContext& context) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const auto stream = static_cast<cudaStream_t>(context.stream);
  return !succeeds(cudaStreamIsCapturing(stream, &status)) || status != cudaStreamCaptureStatusNone;
}

/// cuDNN's handle for one device, which one thread uses at a time.
class DeviceHandle {
 public:
  /// Makes the handle use the context's stream. Returns false without a handle, which an old driver
  /// may refuse: there is no cuDNN then. What fails in a capture is tried again.
  bool open(const kernels::KernelContext& context) {
    if (!opened_) library()->cudnnCreate(&handle_);
    opened_ = handle_ != nullptr || !is_capturing(context);
    return handle_ != nullptr && library()->cudnnSetStream(handle_, context.stream) == kSuccess;
  }
  Handle get() const { return handle_; }

 private:
  bool opened_ = false;
  Handle handle_ = nullptr;
};

}  // namespace tern::cuda::device::cudnn
