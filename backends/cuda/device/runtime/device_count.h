#pragma once

#include <cstdint>

namespace tern::cuda::device {

/// The functions that tern uses of NVML, the driver's management library, which counts devices
/// without starting CUDA. A result of 0 means success.
struct ManagementLibrary {
  int (*init)();
  int (*shutdown)();
  int (*cuda_version)(int* version);  // 13000 for 13.0
  int (*device_count)(unsigned* count);
  int (*device)(unsigned index, void** device);
  int (*mig_mode)(void* device, unsigned* now, unsigned* after_reset);
};

/// Opens libnvidia-ml.so.1. Returns false if there is none.
bool open_management_library(ManagementLibrary* library);

/// Returns the number of devices that CUDA will show, or -1 if only CUDA can tell: for a GPU
/// divided into instances (MIG), for devices named by UUID, and for a driver older than
/// `runtime_version`. Asking CUDA itself would start the driver, after which no forked child can
/// use CUDA. `visible` is the value of CUDA_VISIBLE_DEVICES, null if unset.
int count_without_cuda(const ManagementLibrary& library, const char* visible, int runtime_version);

}  // namespace tern::cuda::device
