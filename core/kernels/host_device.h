#pragma once

// For code that both the C++ compiler and the CUDA compiler compile.

#ifdef __CUDACC__
#define TERN_HOST_DEVICE __host__ __device__ __forceinline__
#else
// Always inlined, because a loop vectorises only if it contains no call.
#define TERN_HOST_DEVICE inline __attribute__((always_inline))
#endif
