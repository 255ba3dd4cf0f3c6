#pragma once

#include <cuda_runtime.h>

namespace tern::cuda::device {

/// Allows allocations, new events and library loading during a capture for this scope. CUDA refuses
/// them unless the thread relaxes its capture mode. The call also binds the device's context to a
/// new thread, without which cuBLASLt fails.
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
