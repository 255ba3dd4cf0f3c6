#include <tern/backends/cuda/device/nccl/library.h>

#include <cstdio>

#include <tern/backends/cuda/device/runtime/shared_library.h>

#ifndef TERN_NCCL_LIBRARY  // the emulator names its own
#define TERN_NCCL_LIBRARY "libnccl.so.2"
#if __has_include(<nccl.h>)
#include <nccl.h>
#if NCCL_VERSION_CODE >= 21800
#define TERN_NCCL_NUMBER(Enum, name, theirs, number) \
  static_assert(static_cast<int>(theirs) == (number), "NCCL has another number for " #theirs);
TERN_NCCL_NUMBERS(TERN_NCCL_NUMBER)
#undef TERN_NCCL_NUMBER
static_assert(sizeof(ncclUniqueId) == sizeof(tern::cuda::device::nccl::UniqueId));
static_assert(offsetof(ncclConfig_t, blocking) ==
              offsetof(tern::cuda::device::nccl::Config, blocking));
static_assert(offsetof(ncclConfig_t, splitShare) ==
              offsetof(tern::cuda::device::nccl::Config, split_share));
#endif
#endif
#endif

namespace tern::cuda::device::nccl {

bool open_library(const char* file, Library* library, kernels::PluginStatus* status) {
  SharedLibrary opened(file);
#define TERN_NCCL_FUNCTION(function, Result, parameters) opened.find(#function, library->function);
  TERN_NCCL_FUNCTIONS(TERN_NCCL_FUNCTION)
#undef TERN_NCCL_FUNCTION
  if (opened.is_complete()) return true;
  const char* const reason = dlerror();
  status->code = kernels::StatusCode::kDeviceFault;
  std::snprintf(status->message, sizeof(status->message), "%s cannot be used: %s", file,
                reason != nullptr ? reason : "unknown reason");
  return false;
}

const Library* library(kernels::PluginStatus* status) {
  static Library functions;
  static kernels::PluginStatus failure;
  static const bool found = open_library(TERN_NCCL_LIBRARY, &functions, &failure);
  if (!found) *status = failure;
  return found ? &functions : nullptr;
}

}  // namespace tern::cuda::device::nccl
