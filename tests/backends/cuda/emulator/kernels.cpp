#include <backends/cuda/emulator/kernels.h>

#include <tern/backends/cuda/device/families.h>

namespace tern::emulator {

const cpu::Capability& cuda_kernels() {
  static constexpr cpu::Capability kKernels = {
      "cuda", [] { return true; },
      [](kernels::KernelTable* table) { cuda::device::register_families(*table); }};
  return kKernels;
}

}  // namespace tern::emulator
