#include <backends/cuda/emulator/kernels.h>

#include <tern/backends/cuda/device/kernels.h>

namespace tern::emulator {
namespace {

void register_kernels(kernels::KernelTable* table) {
  kernels::set<kernels::ElementwiseArgs, cuda::device::elementwise>(*table);
  kernels::set<kernels::CopyArgs, cuda::device::copy>(*table);
  kernels::set<kernels::FillArgs, cuda::device::fill>(*table);
  kernels::set<kernels::ArangeArgs, cuda::device::arange>(*table);
  kernels::set<kernels::GemmArgs, cuda::device::gemm>(*table);
  kernels::set<kernels::RandomArgs, cuda::device::random>(*table);
  kernels::set<kernels::AdamArgs, cuda::device::adam>(*table);
  kernels::set<kernels::SgdArgs, cuda::device::sgd>(*table);
  kernels::set<kernels::ReduceArgs, cuda::device::reduce>(*table);
  kernels::set<kernels::SoftmaxArgs, cuda::device::softmax>(*table);
  kernels::set<kernels::LayerNormArgs, cuda::device::layer_norm>(*table);
  kernels::set<kernels::BatchNormArgs, cuda::device::batch_norm>(*table);
  kernels::set<kernels::IndexArgs, cuda::device::index>(*table);
}

}  // namespace

const cpu::Capability& cuda_kernels() {
  static constexpr cpu::Capability kKernels = {"cuda", [] { return true; }, register_kernels};
  return kKernels;
}

}  // namespace tern::emulator
