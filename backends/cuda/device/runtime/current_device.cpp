#include <tern/backends/cuda/device/runtime/runtime.h>

#include <cuda.h>

// The CUDA runtime's current device of a thread belongs to the program, so every call of the plugin
// restores it. A device without a context is not made current, because cudaSetDevice would create a
// context.

namespace tern::cuda::device {
namespace {

// A postponed restore: `wanted` is the device to make current once it has a context, `meanwhile`
// the device that is current until then. A cudaSetDevice call of the program cancels the restore.
struct Postponed {
  int wanted = -1;
  int meanwhile = -1;
};
thread_local Postponed postponed;

int runtime_device() {
  int device = 0;
  succeeds(cudaGetDevice(&device));
  return device;
}

// Asks the driver, because the runtime knows only the contexts that it made itself. libcuda is not
// linked: the plugin must load on machines without it.
bool is_started(int real) {
  using GetState = CUresult (*)(CUdevice, unsigned*, int*);
  static const GetState get_state = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    succeeds(cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &function, 12000,
                                              cudaEnableDefault, &found));
    return reinterpret_cast<GetState>(function);
  }();
  unsigned flags = 0;
  int active = 0;
  return get_state != nullptr && get_state(real, &flags, &active) == CUDA_SUCCESS && active != 0;
}

std::int32_t make_current(std::int32_t device, cudaError_t* error) {
  const int now = runtime_device();
  const bool waits = postponed.wanted >= 0 && postponed.meanwhile == now;
  const int before = waits ? postponed.wanted : now;
  postponed = {};
  const int real = real_device(device);
  if (now != real) *error = cudaSetDevice(real);
  return before;
}

}  // namespace

std::int32_t has_context(std::int32_t device) { return is_started(real_device(device)) ? 1 : 0; }

std::int32_t exchange_device(std::int32_t device, PluginStatus* status) {
  cudaError_t error = cudaSuccess;
  const std::int32_t before = make_current(device, &error);
  check(error, device, status);
  return before;
}

void restore_device(std::int32_t before) {
  const int now = runtime_device();
  postponed = {};
  if (now == before) return;
  if (!is_started(before) || !succeeds(cudaSetDevice(before))) postponed = {before, now};
}

DeviceScope::DeviceScope(std::int32_t device) : before_(make_current(device, &error_)) {}

DeviceScope::DeviceScope(std::int32_t device, PluginStatus* status) : DeviceScope(device) {
  check(error_, device, status);
}

DeviceScope::DeviceScope(std::int32_t device, KernelContext& context) : DeviceScope(device) {
  if (is_current()) return;
  PluginStatus status;
  check(error_, device, &status);
  fail(context, status);
}

}  // namespace tern::cuda::device
