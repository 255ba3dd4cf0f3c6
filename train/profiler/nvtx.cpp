#include <tern/train/profiler/nvtx.h>

#include <tern/core/base/detail/profile_recorder.h>
#include <tern/core/base/error.h>
#include <tern/core/kernels/backend.h>

namespace tern::profiler {
namespace {

const kernels::RangeCalls& range_calls() {
  try {
    return *kernels::backend_of(kCUDA).ranges();
  } catch (const DeviceError& error) {
    tern::detail::raise<DeviceError>(
        "NVTX functions not installed. Are you sure you have a CUDA build? ", error.what());
  }
}

}  // namespace

std::int64_t nvtx::range_push(const std::string& message) {
  return range_calls().push(message.c_str());
}
std::int64_t nvtx::range_pop() { return range_calls().pop(); }
void nvtx::mark(const std::string& message) { range_calls().mark(message.c_str()); }

EmitNvtxGuard::EmitNvtxGuard(StrictBool enabled) : enabled_(enabled) {
  if (!enabled_) return;
  static const tern::detail::NvtxCalls calls = {range_calls().push, range_calls().pop};
  tern::detail::start_nvtx(calls);
}

EmitNvtxGuard::~EmitNvtxGuard() {
  if (enabled_) tern::detail::stop_nvtx();
}

}  // namespace tern::profiler
