#include <tern/backends/cuda/device/elementwise/elementwise.h>

template void tern::cuda::device::run_family<tern::cuda::device::Family::kFloatUnary>(
    const ElementwiseArgs&, KernelContext&);
