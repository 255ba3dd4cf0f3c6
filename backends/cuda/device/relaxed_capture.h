#pragma once

#include <cuda_runtime.h>

namespace tern::cuda::device {

/// Memory, events and libraries may be needed in the middle of a capture, where CUDA refuses them
/// unless the thread says that it knows what it does: for this scope it does.
class RelaxedCapture {
 public:
  RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace tern::cuda::device
