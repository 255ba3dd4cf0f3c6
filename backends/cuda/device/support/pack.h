#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tern::cuda::device {

/// Neighbouring elements that a thread moves with one access.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T values[kCount];
};

template <class T, int kCount>
__device__ bool is_pack(const T* data, std::int64_t count) {
  return count >= kCount && reinterpret_cast<std::uintptr_t>(data) % alignof(Pack<T, kCount>) == 0;
}

/// Returns the pack at an address, which must be aligned like the pack.
template <int kCount, class T>
__device__ const Pack<T, kCount>& pack_at(const T* data) {
#ifndef __CUDACC__
  emulator::check_alignment(data, alignof(Pack<T, kCount>));
#endif
  return *reinterpret_cast<const Pack<T, kCount>*>(data);
}
template <int kCount, class T>
__device__ Pack<T, kCount>& pack_at(T* data) {
  return const_cast<Pack<T, kCount>&>(pack_at<kCount>(static_cast<const T*>(data)));
}

/// Reads `count` elements from `from`; the rest of the pack is zero.
template <int kCount, class T>
__device__ Pack<T, kCount> read_pack(const T* from, std::int64_t count) {
  if (is_pack<T, kCount>(from, count)) return pack_at<kCount>(from);
  Pack<T, kCount> pack{};
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (i < count) pack.values[i] = from[i];
  }
  return pack;
}

/// Writes at most `count` elements of the pack.
template <class T, int kCount>
__device__ void write_pack(T* to, const Pack<T, kCount>& pack, std::int64_t count) {
  if (is_pack<T, kCount>(to, count)) {
    pack_at<kCount>(to) = pack;
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (i < count) to[i] = pack.values[i];
  }
}

}  // namespace tern::cuda::device
