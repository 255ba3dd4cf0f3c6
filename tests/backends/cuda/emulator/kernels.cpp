#include <backends/cuda/emulator/kernels.h>

#include <tern/backends/cuda/device/kernels.h>

namespace tern::emulator {
namespace {

void register_kernels(kernels::KernelTable* table) {
#define TERN_SLOT(name, Args) kernels::set<kernels::Args, cuda::device::name>(*table);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
}

}  // namespace

const cpu::Capability& cuda_kernels() {
  static constexpr cpu::Capability kKernels = {"cuda", [] { return true; }, register_kernels};
  return kKernels;
}

}  // namespace tern::emulator
