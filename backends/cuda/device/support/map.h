#pragma once

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>

#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/pack.h>
#include <tern/backends/cuda/device/support/strided_index.h>

// One function applied to all elements: the loop of elementwise ops, casts, copies and fills.

namespace tern::cuda::device {

/// The output (index 0) and K - 1 inputs of a map. An input with a null pointer has one value for
/// all elements, whose bits are in `immediate`. What the function takes or returns as float or
/// int32 is stored as `dtype`.
template <int K>
struct MapOperands {
  std::int32_t ndim;
  ScalarType dtype;
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
  ScalarType dtype;
  bool flat, packed;  // flat: each operand is contiguous or one value; packed: all are aligned
  bool moves[K];      // in a flat map: the operand is contiguous, not one value
  void* out;
  const void* in[K];
  std::int64_t immediate[K];
};

/// True if operands of type T may be narrower in memory.
template <class T>
constexpr bool kConverts = std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>;

/// The type in memory of an operand of type T, if operands that convert are `Stored` there.
template <class T, class Stored>
using MapStored = std::conditional_t<kConverts<T>, Stored, T>;

template <class T, class Visitor>
__device__ void visit_map_stored(ScalarType dtype, const Visitor& visitor) {
  if constexpr (kConverts<T>) {
    visit_stored<T>(dtype, visitor);
  } else {
    visitor(TypeTag<T>());
  }
}

template <class T>
__device__ T map_number(const std::int64_t& immediate) {
  T value;
  memcpy(&value, &immediate, sizeof(T));
  return value;
}

template <class T>
__device__ T map_input(const void* data, ScalarType dtype, std::int64_t offset,
                       const std::int64_t& immediate) {
  if (data == nullptr) return map_number<T>(immediate);
  if constexpr (kConverts<T>) {
    return Elements<T>{data, dtype}[offset];
  } else {
    return static_cast<const T*>(data)[offset];
  }
}

/// Reads neighbours, or the one value of all elements.
template <class Stored, int kCount>
__device__ Pack<Stored, kCount> map_pack(const void* data, bool moves, std::int64_t at) {
  const auto stored = static_cast<const Stored*>(data);
  if (moves) return pack_at<kCount>(stored + at);
  Pack<Stored, kCount> pack{};
  for (int i = 0; data != nullptr && i < kCount; ++i) pack.values[i] = *stored;
  return pack;
}

template <class T, class Stored, int kCount>
__device__ Pack<T, kCount> map_widened(const Pack<Stored, kCount>& pack, bool is_number,
                                       const std::int64_t& immediate) {
  Pack<T, kCount> wide;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    wide.values[i] = is_number ? map_number<T>(immediate) : widened<T>(pack.values[i]);
  }
  return wide;
}

/// The number of elements per thread: 16 bytes of the widest type.
template <class... T>
constexpr int kMapPack = 16 / static_cast<int>(std::max({sizeof(T)...}));

/// Reads a pack of each input before it converts any, so that the loads run together.
template <class Stored, int kCount, class... In, std::size_t... k>
__device__ void map_read([[maybe_unused]] const MapLaunch<1 + sizeof...(In)>& map,
                         [[maybe_unused]] std::uint32_t first,
                         [[maybe_unused]] std::tuple<Pack<In, kCount>...>& in,
                         std::index_sequence<k...>) {
  [[maybe_unused]] const std::tuple<Pack<MapStored<In, Stored>, kCount>...> stored(
      map_pack<MapStored<In, Stored>, kCount>(map.in[k + 1], map.moves[k + 1], first)...);
  ((std::get<k>(in) =
        map_widened<In>(std::get<k>(stored), map.in[k + 1] == nullptr, map.immediate[k + 1])),
   ...);
}

/// Computes a pack. (Lambdas here capture no parameter pack: nvcc 13.0 expands such packs wrongly.)
template <class Function, class Out, class... In, std::size_t... k>
__device__ void map_packed(const MapLaunch<1 + sizeof...(In)>& map, const Function& function,
                           std::uint32_t first, std::index_sequence<k...> inputs) {
  constexpr int kCount = kMapPack<Out, In...>;
  using Inputs = std::tuple<Pack<In, kCount>...>;
  using Last = std::tuple_element_t<sizeof...(In), std::tuple<Out, In...>>;
  Inputs in;
  visit_map_stored<Last>(map.dtype, [&](auto tag) {
    map_read<typename decltype(tag)::type, kCount>(map, first, in, inputs);
  });
  Out results[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) results[i] = function(std::get<k>(in).values[i]...);
  visit_map_stored<Out>(map.dtype, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    Pack<Stored, kCount> pack;
#pragma unroll
    for (int i = 0; i < kCount; ++i) pack.values[i] = narrowed<Stored>(results[i]);
    pack_at<kCount>(static_cast<Stored*>(map.out) + first) = pack;
  });
}

template <class Function, class Out, class... In, std::size_t... k>
__device__ void map_thread(const MapLaunch<1 + sizeof...(In)>& map, const Function& function,
                           std::index_sequence<k...> inputs) {
  constexpr int kCount = kMapPack<Out, In...>;
  const std::uint32_t block = blockIdx.x * (kThreads * kCount);
  const std::uint32_t first = block + threadIdx.x * kCount;
  if (map.packed && first + kCount <= map.count) {
    return map_packed<Function, Out, In...>(map, function, first, inputs);
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
    const Out result =
        function(map_input<In>(map.in[k + 1], map.dtype, offsets[k + 1], map.immediate[k + 1])...);
    if constexpr (kConverts<Out>) {
      Elements<Out>{map.out, map.dtype}.set(offsets[0], result);
    } else {
      static_cast<Out*>(map.out)[offsets[0]] = result;
    }
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
  const auto size_of = [&](auto tag) {
    using T = typename decltype(tag)::type;
    return kConverts<T> ? element_size(operands.dtype) : sizeof(T);
  };
  const std::size_t item_sizes[K] = {size_of(TypeTag<Out>()), size_of(TypeTag<In>())...};
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
                     half * rest.strides[k][d] * static_cast<std::int64_t>(item_sizes[k]);
    }
    map<Out, In...>(context, operands, function);
    return map<Out, In...>(context, rest, function);
  }
  MapLaunch<K> launched;
  launched.count = static_cast<std::uint32_t>(count);
  launched.dtype = operands.dtype;
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
    aligned = aligned && (!launched.moves[k] || address % (item_sizes[k] * kCount) == 0);
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
