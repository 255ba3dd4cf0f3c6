#pragma once

// For code that both the C++ compiler and the CUDA compiler compile.

#ifdef __CUDACC__
#define TERN_HOST_DEVICE __host__ __device__ __forceinline__
#define TERN_HOST_DEVICE_CALL __host__ __device__ inline
#else
// Always inlined, because a loop vectorises only if it contains no call.
#define TERN_HOST_DEVICE inline __attribute__((always_inline))
// A long function that loops call: one copy of it per instruction set.
#define TERN_HOST_DEVICE_CALL inline __attribute__((noinline))
#endif
