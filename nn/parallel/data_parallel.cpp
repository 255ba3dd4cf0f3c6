#include <tern/nn/parallel/data_parallel.h>

#include <tern/core/kernels/backend.h>

namespace tern::nn {

std::vector<Device> DeviceIds::resolved() const {
  kernels::Backend& cuda = kernels::backend_of(kCUDA);
  std::vector<Device> devices = devices_;
  if (devices.empty()) {
    for (int i = 0; i < cuda.device_count(); ++i) devices.emplace_back(i);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    TERN_CHECK(devices[i].is_cuda(), DeviceError,
               "DataParallel: devices must be cuda devices, got ", devices[i]);
    if (!devices[i].has_index()) devices[i] = Device(kCUDA, cuda.current_device());
    cuda.check_device(devices[i].index());
    for (std::size_t k = 0; k < i; ++k) {
      TERN_CHECK(devices[k] != devices[i], Error, "DataParallel: ", devices[i],
                 " appears twice in the list of devices");
    }
  }
  return devices;
}

}  // namespace tern::nn
