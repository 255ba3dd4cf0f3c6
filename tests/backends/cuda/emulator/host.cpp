#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>

#include <tern/backends/cuda/device/families.h>
#include <tern/backends/cuda/device/runtime/late_failure.h>
#include <tern/backends/cuda/device/runtime/runtime.h>
#include <tern/backends/cuda/device/support/launch.h>

#include <backends/cuda/emulator/cusolver.h>
#include <backends/cuda/emulator/kernels.h>

// What libtern does for the plugin, for kernels that tests call without a plugin.

namespace tern::cuda::device {
namespace {

void* allocate_scratch(std::int32_t, std::size_t bytes, PluginStatus* status) {
  void* const block = bytes > emulator::most_scratch() ? nullptr : std::malloc(bytes);
  if (block == nullptr) {
    status->code = StatusCode::kOutOfMemory;
    std::strcpy(status->message, "CUDA error: out of memory");
    return nullptr;
  }
  std::memset(block, 0xff, bytes);  // NaN in each floating dtype
  emulator::add_scratch(block, bytes);
  return block;
}

void free_scratch(std::int32_t, void* block) {
  emulator::remove_scratch(block);
  std::free(block);
}

// Until a plugin is opened.
[[maybe_unused]] const bool kHasHost = [] {
  PluginHost host{};
  host.allocate = allocate_scratch;
  host.deallocate = free_scratch;
  host.note = [](const char* text) { emulator::notes().push_back(text); };
  set_host(host);
  set_device_counts({kMostDevices, kMostDevices});  // the runtime refuses those that it lacks
  return true;
}();

}  // namespace

// A launch without a queue has ended, so its errors are known.
void after_emulated_launch(KernelContext& context) {
  if (emulator::is_queue(context.stream)) return;
  LateFailure* const failure = late_failure(context);
  if (failure == nullptr || failure->found == 0) return;
  if (failure->is_index != 0) {
    context.detail = failure->index;
    context.limit = failure->limit;
  }
  PluginStatus status;
  take_error(context.device, &status);
  context.status = status.code;
  std::snprintf(context.message, sizeof(context.message), "%.255s", status.message);
}

}  // namespace tern::cuda::device

namespace tern::emulator {

const cpu::Capability& cuda_kernels() {
  static constexpr cpu::Capability kKernels = {"cuda", [] { return true; },
                                               [](kernels::KernelTable* table) {
                                                 const unsigned before = contexts();
                                                 for (int device = 0; device < 4; ++device) {
                                                   kernels::PluginStatus status;
                                                   cuda::device::start_device(device, &status);
                                                 }
                                                 contexts() = before;
                                                 cuda::device::register_families(*table);
                                               }};
  return kKernels;
}

}  // namespace tern::emulator
