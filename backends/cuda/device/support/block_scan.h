#pragma once

#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/shared_array.h>

namespace tern::cuda::device {

/// Returns the sum of the values of this thread and all threads before it, and sets `total` to the
/// sum of all threads. In each step a thread adds the value of the thread 1, 2, 4, ... before it
/// (Hillis and Steele, "Data parallel algorithms", 1986).
template <class Sum>
__device__ Sum scan_of_block(Sum value, Sum& total) {
  __shared__ SharedArray<Sum, kThreads> values;
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    const Sum before = threadIdx.x < distance ? Sum(0) : values[threadIdx.x - distance];
    __syncthreads();
    values[threadIdx.x] = value += before;
    __syncthreads();
  }
  total = values[kThreads - 1];
  __syncthreads();
  return value;
}

}  // namespace tern::cuda::device
