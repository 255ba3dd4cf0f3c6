#include <tern/backends/cpu/cpu_backend.h>

#include <cstdlib>
#include <cstring>

#include <tern/backends/cpu/allocator.h>
#include <tern/backends/cpu/capability.h>
#include <tern/core/base/error.h>

namespace tern {
namespace {

const cpu::Capability& capability() {
  static const cpu::Capability& chosen = cpu::choose_capability(std::getenv("TERN_CPU_CAPABILITY"));
  return chosen;
}

class CpuBackend final : public kernels::Backend {
 public:
  CpuBackend() { capability().register_kernels(&table_); }

  Allocator& allocator() override { return cpu::allocator(); }
  const kernels::KernelTable& kernels() override { return table_; }
  int device_count() override { return 1; }
  DeviceIndex current_device() override { return 0; }
  void check_device(DeviceIndex device) override {
    TERN_CHECK(device <= 0, DeviceError, "CPU device index must be -1 or zero, got ", device);
  }
  void* stream(DeviceIndex) override { return nullptr; }
  void copy_bytes(void* to, Device, const void* from, Device, std::size_t bytes, bool) override {
    std::memcpy(to, from, bytes);
  }
  void synchronize(DeviceIndex) override {}

 private:
  kernels::KernelTable table_;
};

}  // namespace

kernels::Backend& cpu_backend() {
  // Never destroyed: tensors with static storage are freed after any destructor of ours would run.
  static kernels::Backend* const backend = new CpuBackend();
  return *backend;
}

const char* cpu_capability() { return capability().name; }

}  // namespace tern
