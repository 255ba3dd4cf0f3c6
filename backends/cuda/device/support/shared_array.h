#pragma once

#include <cuda_runtime.h>

namespace tern::cuda::device {

// Memory that the threads of a block share: `__shared__ SharedArray<T, n> values;`. In the emulator
// such memory notices races.
#ifdef __CUDACC__
template <class T, unsigned kCount>
using SharedArray = T[kCount];
template <class T, unsigned kRows, unsigned kColumns>
using SharedMatrix = T[kRows][kColumns];
#else
using emulator::SharedArray;
using emulator::SharedMatrix;
#endif

}  // namespace tern::cuda::device
