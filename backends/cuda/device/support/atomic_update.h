#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include <tern/backends/cuda/device/support/elements.h>

namespace tern::cuda::device {

__device__ inline void atomic_add(float* sum, float x) { atomicAdd(sum, x); }
__device__ inline void atomic_add(double* sum, double x) { atomicAdd(sum, x); }
__device__ inline void atomic_add(std::int32_t* sum, std::int32_t x) { atomicAdd(sum, x); }
__device__ inline void atomic_add(std::int64_t* sum, std::int64_t x) {
  using Word = unsigned long long;
  atomicAdd(reinterpret_cast<Word*>(sum), static_cast<Word>(x));
}
__device__ inline void atomic_add(bool* sum, bool x) {
  if (x) *sum = true;
}

/// Replaces *target by update(*target): changes the word around it, and tries again if another
/// thread has changed that since it was read.
template <class T, class Update>
__device__ void atomic_update(T* target, const Update& update) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long,
                                  std::conditional_t<sizeof(T) == 4, unsigned, unsigned short>>;
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  auto* const word = reinterpret_cast<Word*>(address & ~std::uintptr_t{sizeof(Word) - 1});
  const unsigned shift = (address & (sizeof(Word) - 1)) * 8;
  const Word mask =
      sizeof(T) == 1 ? static_cast<Word>(0xffu << shift) : static_cast<Word>(~Word{0});
  Word bits = 0;
  std::memcpy(&bits, target, sizeof(T));
  auto found = static_cast<Word>(bits << shift), expected = found;  // a guess: the other byte is 0
  do {
    expected = found;
    T element;
    bits = static_cast<Word>(expected >> shift);
    std::memcpy(&element, &bits, sizeof(T));
    element = update(element);
    bits = 0;
    std::memcpy(&bits, &element, sizeof(T));
    found = atomicCAS(word, expected,
                      static_cast<Word>((expected & static_cast<Word>(~mask)) |
                                        static_cast<Word>(bits << shift)));
  } while (found != expected);
}

/// Adds to an element of one or two bytes.
template <class T>
__device__ void atomic_add(T* sum, T x) {
  using Wide = MathType<T>;
  atomic_update(sum, [x](T old) {
    return narrowed<T>(static_cast<Wide>(widened<Wide>(old) + widened<Wide>(x)));
  });
}

}  // namespace tern::cuda::device
