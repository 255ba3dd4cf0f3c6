#pragma once

#include <cstdint>

namespace tern::cuda::device {

/// What tern uses of the driver's management library, which counts devices without starting CUDA. A
/// result of 0 means success.
struct ManagementLibrary {
  int (*init)();
  int (*shutdown)();
  int (*cuda_version)(int* version);  // 13000 for 13.0
  int (*device_count)(unsigned* count);
  int (*device)(unsigned index, void** device);
  int (*mig_mode)(void* device, unsigned* now, unsigned* after_reset);
};

/// Opens libnvidia-ml.so.1; false where there is none.
bool open_management_library(ManagementLibrary* library);

/// Returns the number of devices that CUDA will show, where that is certain without CUDA; else -1:
/// for a GPU that is cut into instances (MIG), for devices named by UUID, and for a driver that is
/// older than `runtime_version`. CUDA's own count starts the driver, after which no forked child
/// can use CUDA. `visible` is CUDA_VISIBLE_DEVICES, null when not set.
int count_without_cuda(const ManagementLibrary& library, const char* visible, int runtime_version);

}  // namespace tern::cuda::device
