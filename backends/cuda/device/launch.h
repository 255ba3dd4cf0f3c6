#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#include <tern/core/kernels/slots.h>

// How every kernel is started. Without nvcc this file and the kernels compile for the emulator that
// the tests run them in.

namespace tern::cuda::device {

using namespace kernels;

/// Threads of a block where nothing else counts.
constexpr unsigned kThreads = 256;
/// The most blocks of a launch along x; kernels over more elements loop.
constexpr std::int64_t kMostBlocks = 0x7fffffff;

/// Blocks of `per_block` that cover `count` elements.
inline unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  const std::int64_t blocks = (count + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

/// Records a failure of the runtime in the context; the first one stays.
inline void fail(KernelContext& context, StatusCode code, const char* what) {
  if (context.status != StatusCode::kOk) return;
  context.status = code;
  std::snprintf(context.message, sizeof(context.message), "CUDA error: %s", what);
}

#ifndef __CUDACC__
void after_emulated_launch(KernelContext& context);
#endif

/// Queues `kernel` on the stream of the context, whose device is current. Nothing for no blocks,
/// which CUDA takes for an error.
template <class... Params, class... Args>
void launch(KernelContext& context, void (*kernel)(Params...), dim3 grid, dim3 block,
            Args... args) {
  if (context.status != StatusCode::kOk || grid.x == 0) return;
  const cudaLaunchConfig_t config{grid,    block, 0, static_cast<cudaStream_t>(context.stream),
                                  nullptr, 0};
  // The error of this launch alone: the runtime's record may hold one of the program's own calls.
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, args...);
#ifndef __CUDACC__
  after_emulated_launch(context);
#endif
  if (error == cudaSuccess) return;
  cudaGetLastError();
  // The first launch of a kernel loads it.
  fail(context,
       error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory : StatusCode::kDeviceFault,
       cudaGetErrorString(error));
}

}  // namespace tern::cuda::device
