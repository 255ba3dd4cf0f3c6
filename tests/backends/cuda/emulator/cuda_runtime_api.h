#pragma once

#include <cuda_runtime.h>

// Replaces CUDA's header: the functions for the plugin's current device, with four devices. As in
// CUDA, a thread starts on device 0, and making a device current starts it.

constexpr int cudaEnableDefault = 0;
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0 };

inline cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= 4) {
    tern::emulator::last_error() = cudaErrorInvalidDevice;
    return cudaErrorInvalidDevice;
  }
  if (tern::emulator::refuses_device()) {
    tern::emulator::last_error() = cudaErrorDevicesUnavailable;
    return cudaErrorDevicesUnavailable;
  }
  tern::emulator::runtime_device() = device;
  tern::emulator::contexts() |= 1U << device;
  return cudaSuccess;
}

/// Finds cuDevicePrimaryCtxGetState.
inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, int,
                                                    cudaDriverEntryPointQueryResult* found) {
  *found = cudaDriverEntryPointSuccess;
  *function = reinterpret_cast<void*>(+[](int device, unsigned* flags, int* active) {
    *flags = 0;
    *active = (tern::emulator::contexts() >> device & 1) != 0 ? 1 : 0;
    return 0;
  });
  return cudaSuccess;
}
