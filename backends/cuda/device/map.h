#pragma once

#include <algorithm>
#include <cstring>

#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/pack.h>
#include <tern/backends/cuda/device/strided_index.h>

// One function applied to all elements: the loop of elementwise ops, casts, copies and fills.

namespace tern::cuda::device {

/// The output (index 0) and K - 1 inputs of a map. An input with a null pointer has one value for
/// all elements, whose bits are in `immediate`.
template <int K>
struct MapOperands {
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  const void* data[K];
  const std::int64_t* strides[K];  // null: all strides are 0
  std::int64_t immediate[K];

  std::int64_t numel() const {
    std::int64_t count = 1;
    for (int d = 0; d < ndim; ++d) count *= sizes[d];
    return count;
  }
};

template <int K>
struct MapLaunch {
  StridedIndex32<K> index;
  std::uint32_t count;
  bool flat, packed;  // flat: each operand is contiguous or one value; packed: all are aligned
  bool moves[K];      // in a flat map: the operand is contiguous, not one value
  void* out;
  const void* in[K];
  std::int64_t immediate[K];
};

template <class T>
__device__ T map_input(const void* data, std::int64_t offset, const std::int64_t& immediate) {
  if (data != nullptr) return static_cast<const T*>(data)[offset];
  T value;
  memcpy(&value, &immediate, sizeof(T));
  return value;
}

template <class T, int kCount>
__device__ Pack<T, kCount> map_pack(const void* data, bool moves, std::int64_t at,
                                    const std::int64_t& immediate) {
  if (data != nullptr && moves) {
    return *reinterpret_cast<const Pack<T, kCount>*>(static_cast<const T*>(data) + at);
  }
  Pack<T, kCount> pack;
  for (int i = 0; i < kCount; ++i) pack.values[i] = map_input<T>(data, 0, immediate);
  return pack;
}

/// The number of elements per thread: 16 bytes of the widest type.
template <class... T>
constexpr int kMapPack = 16 / static_cast<int>(std::max({sizeof(T)...}));

template <class Function, class Out, class... In, std::size_t... k>
__device__ void map_thread(const MapLaunch<1 + sizeof...(In)>& map, const Function& function,
                           std::index_sequence<k...>) {
  constexpr int kCount = kMapPack<Out, In...>;
  Out* const out = static_cast<Out*>(map.out);
  const std::uint32_t block = blockIdx.x * (kThreads * kCount);
  const std::uint32_t first = block + threadIdx.x * kCount;
  if (map.packed && first + kCount <= map.count) {
    const auto packs = [&](const auto&... pack) {
      Pack<Out, kCount> results;
#pragma unroll
      for (int i = 0; i < kCount; ++i) results.values[i] = function(pack.values[i]...);
      *reinterpret_cast<Pack<Out, kCount>*>(out + first) = results;
    };
    packs(map_pack<In, kCount>(map.in[k + 1], map.moves[k + 1], first, map.immediate[k + 1])...);
    return;
  }
  // Neighbouring threads take neighbouring elements, except in the last pack of a packed map.
  const std::uint32_t step = map.packed ? 1 : kThreads;
  std::uint32_t at = map.packed ? first : block + threadIdx.x;
  for (int i = 0; i < kCount && at < map.count; ++i, at += step) {
    std::int64_t offsets[1 + sizeof...(In)];
    if (map.flat) {
      offsets[0] = at;
      ((offsets[k + 1] = map.moves[k + 1] ? at : 0), ...);
    } else {
      map.index.offsets(at, offsets);
    }
    out[offsets[0]] =
        function(map_input<In>(map.in[k + 1], offsets[k + 1], map.immediate[k + 1])...);
  }
}

template <class Function, class Out, class... In>
__global__ void __launch_bounds__(kThreads)
    map_kernel(MapLaunch<1 + sizeof...(In)> map, Function function) {
  map_thread<Function, Out, In...>(map, function, std::index_sequence_for<In...>());
}

/// Computes out[i] = function(in[i]...) with elements of type Out and In.
template <class Out, class... In, class Function>
void map(KernelContext& context, MapOperands<1 + sizeof...(In)> operands, Function function) {
  constexpr int K = 1 + sizeof...(In);
  constexpr std::size_t kSizes[K] = {sizeof(Out), sizeof(In)...};
  constexpr int kCount = kMapPack<Out, In...>;
  const std::int64_t count = operands.numel();
  if (count == 0) return;
  if (count > 0x7fffffff) {  // exceeds the kernel's counter: halve the largest dimension
    std::int64_t* const size = std::max_element(operands.sizes, operands.sizes + operands.ndim);
    const std::int64_t half = *size / 2, d = size - operands.sizes;
    MapOperands<K> rest = operands;
    *size = half;
    rest.sizes[d] -= half;
    for (int k = 0; k < K; ++k) {
      if (rest.data[k] == nullptr || rest.strides[k] == nullptr) continue;
      rest.data[k] = static_cast<const char*>(rest.data[k]) +
                     half * rest.strides[k][d] * static_cast<std::int64_t>(kSizes[k]);
    }
    map<Out, In...>(context, operands, function);
    return map<Out, In...>(context, rest, function);
  }
  MapLaunch<K> launched;
  launched.count = static_cast<std::uint32_t>(count);
  launched.out = const_cast<void*>(operands.data[0]);
  launched.flat = operands.ndim <= 1;
  bool aligned = true;
  for (int k = 0; k < K; ++k) {
    launched.in[k] = operands.data[k];
    launched.immediate[k] = operands.immediate[k];
    const bool is_number = operands.data[k] == nullptr || operands.strides[k] == nullptr;
    const std::int64_t step = is_number || operands.ndim == 0 ? 0 : operands.strides[k][0];
    launched.moves[k] = step == 1;
    launched.flat = launched.flat && (step == 1 || (step == 0 && (k > 0 || count == 1)));
    const auto address = reinterpret_cast<std::uintptr_t>(operands.data[k]);
    aligned = aligned && (!launched.moves[k] || address % (kSizes[k] * kCount) == 0);
  }
  launched.packed = launched.flat && aligned && launched.moves[0];
  for (int d = 0; d < operands.ndim; ++d) {
    std::int64_t strides[K] = {};
    for (int k = 0; k < K; ++k) {
      if (operands.strides[k] != nullptr) strides[k] = operands.strides[k][d];
    }
    launched.index.add_dim(operands.sizes[d], strides);
  }
  launch(context, map_kernel<Function, Out, In...>, blocks_for(count, kThreads * kCount), kThreads,
         launched, function);
}

}  // namespace tern::cuda::device
