#include <tern/nn/parallel/data_parallel.h>

#include <tern/backends/cuda/host/cuda.h>

namespace tern::nn {

std::vector<Device> DeviceIds::resolved() const {
  std::vector<Device> devices = devices_;
  if (devices.empty()) {
    for (DeviceIndex i = 0; i < cuda::device_count(); ++i) devices.emplace_back(kCUDA, i);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    TERN_CHECK(devices[i].is_cuda(), DeviceError, "DataParallel: devices must be cuda devices, got ",
               devices[i]);
    devices[i] = Device(kCUDA, cuda::detail::resolve(devices[i].index()));
    for (std::size_t k = 0; k < i; ++k) {
      TERN_CHECK(devices[k] != devices[i], Error, "DataParallel: ", devices[i],
                 " stands twice among the devices");
    }
  }
  return devices;
}

}  // namespace tern::nn
