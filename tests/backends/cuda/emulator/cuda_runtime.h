#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <backends/cuda/emulator/emulator.h>

// Replaces CUDA's header when a .cu file is compiled for the CPU: the keywords and the functions
// that tern's kernels use.

#define __global__
#define __device__
#define __host__
#define __restrict__ __restrict
#define __launch_bounds__(...)
// Blocks run one after the other, so all can share one copy.
#define __shared__ static

using cudaStream_t = void*;

/// The oldest CUDA that tern compiles with. Names of a later one must not be added here: the code
/// that uses them asks for the version.
#define CUDART_VERSION 12050

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorInvalidDevice = 101,
  cudaErrorECCUncorrectable = 214,
  cudaErrorNvlinkUncorrectable = 220,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorAssert = 710,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorInvalidPc = 718,
  cudaErrorLaunchFailure = 719,
  cudaErrorMpsClientTerminated = 810,
  cudaErrorExternalDevice = 911,
};
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75 };
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }
inline cudaError_t cudaGetDevice(int* device) {
  *device = tern::emulator::runtime_device();
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 9;
  return cudaSuccess;
}
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return cudaSuccess;
}

enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status =
      tern::emulator::is_capturing() ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

/// An event is the time at which it was recorded.
using cudaEvent_t = float*;
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new float(-1);
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *event = tern::emulator::milliseconds();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* time, cudaEvent_t start, cudaEvent_t end) {
  *time = *end - *start;
  return cudaSuccess;
}

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
};

struct cudaLaunchConfig_t {
  dim3 grid, block;  // CUDA's names for these are macros here
  std::size_t shared_bytes;
  cudaStream_t stream;
  const void* attributes;
  unsigned attribute_count;
};

/// Runs the kernel immediately. Calls that fail leave their error in the record, as in CUDA.
template <class... Params, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Params...),
                               Args... args) {
  const dim3 grid = config->grid, block = config->block;
  tern::emulator::run({grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                      [&] { kernel(args...); });
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(std::exchange(tern::emulator::last_error(), 0));
}

#define threadIdx (tern::emulator::place().thread)
#define blockIdx (tern::emulator::place().block)
#define gridDim (tern::emulator::place().grid_size)

inline void __syncthreads() { tern::emulator::block_barrier(); }
inline void __threadfence_system() {}

template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = tern::emulator::warp_exchange(bits, (threadIdx.x % 32) ^ static_cast<unsigned>(mask));
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
T atomicAdd(T* address, T value) {
  const T old = *address;
  if constexpr (std::is_integral_v<T>) {  // wraps around
    using Bits = std::make_unsigned_t<T>;
    *address = static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(value));
  } else {
    *address = old + value;
  }
  return old;
}
// Two bytes may be an element of one byte and its neighbour beyond the end of a tensor.
template <class T>
[[gnu::no_sanitize_address, gnu::noinline]] T atomicCAS(T* address, T expected, T value) {
  const T old = *address;
  if (old == expected) *address = value;
  return old;
}
template <class T>
T atomicExch(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}
