#pragma once

#include <cuda_runtime.h>

#include <tern/backends/cuda/device/cudnn/library.h>
#include <tern/backends/cuda/device/cudnn/pause.h>
#include <tern/backends/cuda/device/runtime/note.h>
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
  /// refuses, and any driver while the device has no memory: there is no cuDNN then. What fails in
  /// a capture is tried again at once.
  bool open(const kernels::KernelContext& context) {
    if (handle_ == nullptr && !pause_.lasts()) {
      library()->cudnnCreate(&handle_);
      if (handle_ == nullptr && !is_capturing(context)) {
        note("cuDNN cannot be used: it makes no handle for this device");
        pause_.begin();
      }
    }
    return handle_ != nullptr && library()->cudnnSetStream(handle_, context.stream) == kSuccess;
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  Pause pause_;
};

}  // namespace tern::cuda::device::cudnn
