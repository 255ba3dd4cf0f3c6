#include <tern/backends/cuda/device/elementwise/elementwise.h>

template void tern::cuda::device::run_family<tern::cuda::device::Family::kSpecial>(
    const ElementwiseArgs&, KernelContext&);
