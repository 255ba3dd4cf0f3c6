#pragma once

// Vectors of 128-bit lanes for inner products of blocks: a lane holds 16 bytes of a block, and
// later four integer or float sums of its products. The code of blocks is the same for one, two or
// four lanes.
//
// Ints, Floats     kLanes x 4 sums
// Pairs            kLanes x (scale, minimum) of blocks
// Number           an activation; `kLanes * 16` of them are multiplied with one vector of bytes

// VNNI multiplies bytes and adds four products in one instruction. It is not part of x86-64-v4, so
// the functions that use it say so, and the kernel is registered only where the processor has it.
#if defined(__AVX512VNNI__) || (defined(__AVX512F__) && defined(TERN_CPU_BASE_SET))
#define TERN_VNNI
#define TERN_QUANTIZED __attribute__((target("avx512vnni")))
#else
#define TERN_QUANTIZED
#endif

#if defined(TERN_VNNI)
#include <tern/backends/cpu/kernels/quantized/lanes_avx512.h>
#elif defined(__AVX2__)
#include <tern/backends/cpu/kernels/quantized/lanes_avx2.h>
#else
#include <tern/backends/cpu/kernels/quantized/lanes_portable.h>
#endif
