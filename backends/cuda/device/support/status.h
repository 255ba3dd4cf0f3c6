#pragma once

#include <cstdio>

#include <tern/core/kernels/slots.h>

// How the host part of a kernel reports failures.

namespace tern::cuda::device {

using namespace kernels;

/// Records a failure of the runtime in the context. The first failure stays.
inline void fail(KernelContext& context, StatusCode code, const char* what) {
  if (context.status != StatusCode::kOk) return;
  context.status = code;
  std::snprintf(context.message, sizeof(context.message), "CUDA error: %s", what);
}

/// Records that a function of a library failed.
inline void fail_call(KernelContext& context, const char* function, const char* status,
                      bool is_out_of_memory) {
  char text[160];
  std::snprintf(text, sizeof(text), "%s when calling %s", status, function);
  fail(context, is_out_of_memory ? StatusCode::kOutOfMemory : StatusCode::kDeviceFault, text);
}

/// Returns true if a failure stops all further launches of the call. Wrong data does not: a GPU
/// reports it later, and only the emulator does so at once.
inline bool is_stopped(const KernelContext& context) {
#ifndef __CUDACC__
  if (context.status == StatusCode::kIndexOutOfRange || context.status == StatusCode::kInvalidValue)
    return false;
#endif
  return context.status != StatusCode::kOk;
}

}  // namespace tern::cuda::device
