#include <tern/nn/parallel/data_parallel.h>

#include <tern/backends/cuda/host/cuda.h>

namespace tern::nn::detail {

std::vector<Device> parallel_devices(std::vector<Device> devices) {
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

std::vector<Device> parallel_devices(const std::vector<int>& ordinals) {
  std::vector<Device> devices;
  for (int ordinal : ordinals) devices.emplace_back(Device(ordinal));
  return parallel_devices(std::move(devices));
}

}  // namespace tern::nn::detail
