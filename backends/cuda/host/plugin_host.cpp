#include <tern/backends/cuda/host/plugin_host.h>

#include <cstdio>

#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/core/base/error.h>
#include <tern/core/base/profile_scope.h>

namespace tern::cuda::detail {
namespace {

void report(const std::exception& error, kernels::StatusCode code, kernels::PluginStatus* status) {
  status->code = code;
  std::snprintf(status->message, sizeof(status->message), "%s", error.what());
}

void* allocate(std::int32_t device, std::size_t bytes, kernels::PluginStatus* status) {
  try {
    return cuda_backend().allocator().allocate(bytes, device);
  } catch (const OutOfMemoryError& error) {
    report(error, kernels::StatusCode::kOutOfMemory, status);
  } catch (const std::exception& error) {
    report(error, kernels::StatusCode::kDeviceFault, status);
  }
  return nullptr;
}

void deallocate(std::int32_t device, void* pointer) {
  cuda_backend().allocator().deallocate(pointer, 0, device);
}

void note(const char* text) {
  const tern::detail::ProfileScope point(tern::detail::ProfileKind::kRange, text);
}

}  // namespace

kernels::PluginHost plugin_host(int simulated_devices) {
  return {
      kernels::plugin_build_id(), simulated_devices, &find_block, &allocate, &deallocate, &note};
}

}  // namespace tern::cuda::detail
