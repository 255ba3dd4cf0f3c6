#pragma once

// Code that the C++ compiler and the CUDA compiler both read.

#ifdef __CUDACC__
#define TERN_HOST_DEVICE __host__ __device__ __forceinline__
#else
// Forced, because a loop is vectorised only when nothing in it is a call.
#define TERN_HOST_DEVICE inline __attribute__((always_inline))
#endif
