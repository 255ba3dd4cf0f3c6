#pragma once

#include <cuda_runtime.h>

#include <tern/core/kernels/philox.h>

// Replaces cuRAND's header: Philox4x32-10 by tern's own header, which tests compare with cuRAND.

struct uint4 {
  unsigned x, y, z, w;
};

struct curandStatePhilox4_32_10_t {
  std::uint64_t seed, subsequence, offset;
};

inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  *state = {seed, subsequence, offset};
}

inline uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const tern::kernels::PhiloxWords words =
      tern::kernels::philox(state->seed, state->subsequence, state->offset);
  state->offset += 4;
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}
