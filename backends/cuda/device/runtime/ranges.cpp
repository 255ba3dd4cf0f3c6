#include <nvtx3/nvToolsExt.h>

#include <tern/backends/cuda/device/runtime/runtime.h>

// Ranges for NVIDIA's tools. NVTX is a header that opens the library of a tool (Nsight Systems
// names it in NVTX_INJECTION64_PATH) at the first call; without a tool a call costs a few
// nanoseconds.

namespace tern::cuda::device {

std::int32_t range_push(const char* name) { return nvtxRangePushA(name); }
std::int32_t range_pop() { return nvtxRangePop(); }
void range_mark(const char* name) { nvtxMarkA(name); }

}  // namespace tern::cuda::device
