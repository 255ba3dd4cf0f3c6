#include <tern/backends/cuda/device/runtime/device_count.h>

#include <cstring>

#include <tern/backends/cuda/device/runtime/shared_library.h>
#include <tern/core/kernels/visible_devices.h>

namespace tern::cuda::device {
namespace {

// Returns -1 if the count is not certain.
int count_devices(const ManagementLibrary& library, int runtime_version) {
  int driver = 0;
  if (library.cuda_version(&driver) != 0 || driver / 1000 < runtime_version / 1000) return -1;
  unsigned count = 0;
  if (library.device_count(&count) != 0 || count == 0) return -1;
  for (unsigned i = 0; i < count; ++i) {
    void* device = nullptr;
    unsigned now = 0, after_reset = 0;
    if (library.device(i, &device) != 0) return -1;
    // mig_mode fails on GPUs without MIG.
    if (library.mig_mode(device, &now, &after_reset) == 0 && now != 0) return -1;
  }
  return static_cast<int>(count);
}

}  // namespace

bool open_management_library(ManagementLibrary* library) {
  return SharedLibrary("libnvidia-ml.so.1")
      .find("nvmlInit_v2", library->init)
      .find("nvmlShutdown", library->shutdown)
      .find("nvmlSystemGetCudaDriverVersion_v2", library->cuda_version)
      .find("nvmlDeviceGetCount_v2", library->device_count)
      .find("nvmlDeviceGetHandleByIndex_v2", library->device)
      .find("nvmlDeviceGetMigMode", library->mig_mode)
      .is_complete();
}

int count_without_cuda(const ManagementLibrary& library, const char* visible, int runtime_version) {
  const bool by_uuid = visible != nullptr && (std::strstr(visible, "GPU-") != nullptr ||
                                              std::strstr(visible, "MIG-") != nullptr);
  if (by_uuid || library.init() != 0) return -1;
  const int count = count_devices(library, runtime_version);
  library.shutdown();
  return count < 0 ? -1 : static_cast<int>(kernels::visible_devices(visible, count).size());
}

}  // namespace tern::cuda::device
