#include <torch/torch.h>

#include <iostream>

// Devices, their strings and guards.
int main() {
  torch::Device cpu("cpu");
  torch::Device gpu(torch::kCUDA, 1);
  std::cout << cpu << gpu << cpu.is_cpu() << gpu.is_cuda() << int{gpu.index()} << cpu.has_index()
            << gpu.type() << "\n";
  std::cout << (cpu == torch::Device(torch::kCPU)) << (cpu != gpu) << gpu.str()
            << torch::Device("cuda").has_index() << "\n";
  gpu.set_index(0);
  std::cout << gpu << c10::DeviceTypeName(c10::DeviceType::CPU) << "\n";
  std::cout << torch::ones({1}).device() << int{torch::ones({1}).get_device()}
            << torch::ones({1}).is_cpu() << "\n";
  at::OptionalDeviceGuard guard;
  torch::Tensor t = torch::ones({2}).to(torch::Device("cpu")).cpu();
  std::cout << t.device().type() << at::device_of(t)->str() << "\n";
  for (const char* text : {"gpu", "cuda:x", ""}) {
    try {
      torch::Device device{std::string(text)};
      std::cout << device << "\n";
    } catch (const c10::Error& e) {
      std::cout << std::string(e.what_without_backtrace()).substr(0, 30) << "\n";
    }
  }
  std::cout << std::hash<c10::Device>()(cpu) % 1 << "\n";
}
